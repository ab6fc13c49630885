/** A screening as of a past moment returns the statements of that moment's report, and nothing greener. */
import type { ChainFact, Report, ReportGenerated } from '@cupel/contracts'
import {
  compiledDefaultPolicy,
  compilePolicy,
  parseAddress,
  screenedAddress,
  type ChainInputs,
} from '@cupel/domain'
import { noteProvidedChains } from '@cupel/ledger'
import { runSeed } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createPastSource,
  InputsDifferError,
  screenAsOf,
  type AsOfScreening,
} from '../../src/proofs/index.js'
import { ACCOUNT, openDeciding, type Deciding } from './deciding.js'

const ASKED = '0x1111111111111111111111111111111111111111'
const THIEF = '0x2222222222222222222222222222222222222222'
const BETWEEN = '0x3333333333333333333333333333333333333333'
const LISTED = '0x4444444444444444444444444444444444444444'
const SAVER = '1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae'
const addresses = [
  [ASKED, 'ETH'],
  [THIEF, 'ETH'],
  [LISTED, 'ETH'],
  [LISTED, 'BSC'],
  [SAVER, 'BTC'],
] as const
const LABEL_HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const TRANSFER_HEADER =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source'
const STEPS = 40

let deciding: Deciding
let bornAt: string
const reports: ReportGenerated[] = []

beforeAll(async () => {
  bornAt = new Date(Date.now() - 1).toISOString()
  deciding = await openDeciding()
})
afterAll(async () => await deciding.installation.close())

const noRest = () => null

async function asOf(
  { address, chain, candidateChains, generatedAt: moment, customerReference }: ReportGenerated,
  at = moment,
): Promise<AsOfScreening> {
  const found = await ask(address, chain, at, customerReference, candidateChains)
  if (typeof found === 'string') throw new Error(`There were no ${found} yet`)
  return found
}

async function ask(
  address: string,
  chain: string,
  at: string,
  customerReference: string | null = null,
  candidateChains: readonly string[] = [],
) {
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) throw new Error(parsed.detail)
  const { log, codec, database } = deciding.installation
  const screened = { ...screenedAddress(parsed), candidateChains }
  const request = { ...screened, accountId: ACCOUNT, livemode: true, customerReference, asOf: at }
  return await screenAsOf(createPastSource({ log, codec, database }), request, noRest)
}

/** The report as recorded, without the fields that only a report has. */
function recorded({ report }: ReportGenerated): string {
  const rest = JSON.parse(report) as Partial<Report>
  delete rest.report_id
  delete rest.report_url
  return JSON.stringify(rest)
}

const labels = (
  confidence: number,
  source: string,
  ...rows: readonly (readonly [string, string, string])[]
) =>
  [
    LABEL_HEADER,
    ...rows.map(
      ([address, chain, category]) =>
        `${address},${chain},${category},${category === 'clean_exchange' ? 'Pool' : 'Somebody'},${source},https://example.org/list,${confidence},2026-11-20`,
    ),
    '',
  ].join('\n')

/** Two hops from the thief to the queried address. */
const transfers = (index: number, amount: number): string => {
  const hash = (digit: number): string => `0x${String(index * 10 + digit).padStart(64, '0')}`
  const row = (digit: number, from: string, to: string): string =>
    `ETH,${100 + index * 10 + digit},2026-11-20T00:0${digit}:00Z,${hash(digit)},,native,ETH,,${from},${to},${amount}000000000000000000,${amount},,test`
  return [TRANSFER_HEADER, row(1, THIEF, BETWEEN), row(2, BETWEEN, ASKED), ''].join('\n')
}

/** Events of an installation, in any order. */
const happenings: readonly ((index: number) => Promise<void>)[] = [
  (index) =>
    deciding.importLabelText(
      labels(0.4 + index / 100, 'my_list', [THIEF, 'ETH', 'stolen'], [LISTED, 'BSC', 'scam']),
    ),
  (index) => deciding.importLabelText(labels(0.4 + index / 100, 'my_list', [THIEF, 'ETH', 'stolen'])),
  (index) =>
    deciding.importLabelText(
      labels(
        0.9,
        'ofac_sdn',
        [LISTED, 'ETH', 'sanctions'],
        ...(index % 2 === 0 ? ([[THIEF, 'ETH', 'sanctions']] as const) : []),
      ),
      'sdn',
      { whole: true },
    ),
  async (index) =>
    await deciding.importTransfers(`transfers-${index}.csv`, transfers(index, 1 + (index % 7))),
  async (index) => {
    const { document } = compiledDefaultPolicy
    const levels = { ...document.levels, red: 60 + (index % 20) }
    await deciding.activate(compilePolicy({ ...document, version: 100 + index, levels }))
  },
  (index) => deciding.expectList(`list-${index % 4}`, index % 3 > 0),
]

test('of every report decided only from lists and ledger, the same answer is given for its moment', async () => {
  await noteProvidedChains(deciding.installation.database, [])
  await happenings[0]!(0)
  const [order] = fc.sample(
    fc.array(fc.nat(2 * happenings.length - 1), { minLength: STEPS, maxLength: STEPS }),
    {
      seed: runSeed(),
      numRuns: 1,
    },
  )
  for (const [index, chosen] of order!.entries()) {
    // Half of the events are decisions.
    const happening = happenings[chosen]
    if (happening !== undefined) await happening(index + 1)
    const [address, chain] = addresses[index % addresses.length]!
    const reportId = index.toString(16).padStart(16, '0')
    const candidates =
      index % 2 === 0 || chain === 'BTC' ? [] : ['ETH', 'BSC'].filter((other) => other !== chain)
    reports.push(await deciding.decide({ address, chain, candidates, reportId }))
  }
  for (const report of reports) {
    const found = await asOf(report)
    expect(JSON.stringify(found.report)).toBe(recorded(report))
    expect(found).toMatchObject({
      asOf: report.generatedAt,
      labelSetSeq: report.inputs.labelSetSeq,
      labelStateSha256: report.inputs.labelStateSha256,
      policy: { version: report.inputs.policyVersion, sha256: report.inputs.policySha256 },
      ledgerSeq: report.inputs.exposure?.ledgerSeq ?? 0,
    })
  }
  // The history changed the statements about an address, so the moments do not share one state.
  expect(new Set(reports.map(({ inputs }) => inputs.labelStateSha256)).size).toBeGreaterThan(2)
  expect(new Set(reports.map(({ score }) => score)).size).toBeGreaterThan(2)
})

test('before the first list there is nothing to decide from, and it is said', async () => {
  expect(await ask(ASKED, 'ETH', bornAt)).toBe('lists')
})

test.each([
  ['activation', 'the policy of then removed', 'DELETE FROM policy_view.activation', /the log states [1-9]/],
  [
    'activation',
    'the policy of then altered',
    `UPDATE policy_view.activation SET sha256 = repeat('0', 64)`,
    /another sha256/,
  ],
  [
    'activation',
    'another policy moved to then',
    `UPDATE policy_view.activation SET activated_at = '2020-01-01T00:00:00.000Z' WHERE policy_seq = (SELECT max(policy_seq) FROM policy_view.activation)`,
    /another activatedAt|in force at/,
  ],
  [
    'publication',
    'a list of then moved to later',
    `UPDATE label_view.publication SET published_at = '2999-01-01T00:00:00.000Z' WHERE label_set_seq = 1`,
    /another published_at/,
  ],
  [
    'publication',
    'a list of then with other labels',
    `UPDATE label_view.publication SET sha256 = 'x' WHERE label_set_seq = 1`,
    /another sha256/,
  ],
  [
    'publication',
    'a list of then removed',
    'DELETE FROM label_view.publication WHERE label_set_seq = 1',
    /out of its order/,
  ],
])('a row of %s that the log does not state decides nothing: %s', async (table, _, statement, words) => {
  const { database } = deciding.installation
  const name = table === 'activation' ? 'policy_view.activation' : 'label_view.publication'
  const then = reports[0]!.generatedAt
  const before = await ask(ASKED, 'ETH', then)
  await database.execute(`CREATE TABLE kept AS SELECT * FROM ${name}`)
  try {
    await database.execute(statement)
    const asked = ask(ASKED, 'ETH', then)
    await expect(asked).rejects.toThrow(InputsDifferError)
    await expect(asked).rejects.toThrow(words)
  } finally {
    await database.execute(`DELETE FROM ${name}`)
    await database.execute(`INSERT INTO ${name} SELECT * FROM kept`)
    await database.execute('DROP TABLE kept')
  }
  expect(await ask(ASKED, 'ETH', then)).toEqual(before)
})

test('the sandbox answers for any moment since it began, and not before', async () => {
  const { log, codec, database } = deciding.installation
  const parsed = parseAddress('0xc0be100000000000000000000000000000000004', 'ETH')
  if (!parsed.ok) throw new Error(parsed.detail)
  const inSandbox = (at: string) =>
    screenAsOf(
      createPastSource({ log, codec, database }),
      {
        ...{ ...screenedAddress(parsed), accountId: ACCOUNT },
        ...{ livemode: false, customerReference: null, asOf: at },
      },
      noRest,
    )
  expect(await inSandbox('2026-03-01T00:00:00.000Z')).toMatchObject({
    ...{ labelSetSeq: 0, ledgerSeq: 0, policy: { activatedAt: null } },
    report: { livemode: false, risk: { level: 'red', score: 100 } },
  })
  expect(await inSandbox('2025-12-31T23:59:59.999Z')).toBe('lists')
})

describe('an address that only a complete ledger makes green', () => {
  const MINER = '1PZMgkF2x161qvfP7dhoWSEEU3SjnQE1m9'
  let green: ReportGenerated

  beforeAll(async () => {
    for (const index of [0, 1, 2, 3]) await deciding.expectList(`list-${index}`, false)
    const list = labels(0.9, 'ofac_sdn', [LISTED, 'ETH', 'sanctions'])
    await deciding.importLabelText(list, 'sdn', { whole: true })
    await deciding.importLabelText(labels(0.9, 'pools', [MINER, 'BTC', 'clean_exchange']), 'pools')
    const atS = Math.floor(Date.now() / 1_000) - 3_600
    const output = (address: string) => [{ addresses: [address], value: 10_000_000 }]
    const blocks = [
      { hash: '1'.repeat(64), block_number: 1, inputs: [], outputs: output(MINER), is_coinbase: true },
      { hash: '2'.repeat(64), block_number: 2, inputs: output(MINER), outputs: output(SAVER) },
    ].map((block, index) => JSON.stringify({ ...block, index: 0, timestamp: atS + index }))
    await deciding.importTransfers('blocks.json', blocks.join('\n'), {
      ...{ format: 'bitcoin-etl', chain: 'BTC', complete: { from: 1, to: 2 } },
    })
    await forgetProviders()
    green = await deciding.decide({ address: SAVER, chain: 'BTC', reportId: '00000000000000f1' })
    expect(JSON.parse(green.report)).toMatchObject({ risk: { level: 'green', level_reasons: [] } })
  })

  const forgetProviders = () => deciding.installation.database.execute('DELETE FROM ledger.provided_chain')
  const CAUTIOUS = {
    risk: { level: 'grey', level_reasons: ['partial', 'chain_data_left_out'] },
    coverage: {
      chain_data: { status: 'unavailable' },
      exposure: { status: 'partial', incomplete: ['chain_data_left_out'] },
    },
  }

  test('is green as of then where no provider was ever asked', async () => {
    await noteProvidedChains(deciding.installation.database, ['ETH'])
    expect(JSON.stringify((await asOf(green)).report)).toBe(recorded(green))
  })

  test.each([
    ['a provider of the chain was ever configured', ['BTC']],
    ['nobody knows whether one was', null],
  ])('is not green where %s, because it could have contradicted the ledger', async (_why, chains) => {
    await forgetProviders()
    if (chains !== null) await noteProvidedChains(deciding.installation.database, chains)
    expect((await asOf(green)).report).toMatchObject(CAUTIOUS)
  })

  test('is not judged where a segment of that ledger is gone or altered, or of nobody', async () => {
    const { database } = deciding.installation
    await noteProvidedChains(database, [])
    await database.execute('CREATE TABLE kept_segment AS SELECT * FROM ledger.segment')
    for (const statement of [
      'DELETE FROM ledger.segment WHERE ledger_seq = 1',
      `UPDATE ledger.segment SET file_name = 'x' WHERE ledger_seq = 1`,
      `INSERT INTO ledger.segment OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(s, '{"segment_id":999,"ledger_seq":999,"sha256":"x"}')).*
       FROM ledger.segment s WHERE ledger_seq = 1`,
    ])
      try {
        await database.execute(statement)
        await expect(asOf(green)).rejects.toThrow(InputsDifferError)
      } finally {
        await database.execute('DELETE FROM ledger.segment')
        await database.execute(
          'INSERT INTO ledger.segment OVERRIDING SYSTEM VALUE SELECT * FROM kept_segment',
        )
      }
    expect((await asOf(green)).report).toMatchObject({ risk: { level: 'green' } })
  })
})

describe('whatever a provider said of an address then', () => {
  const fact: ChainFact = {
    ...{
      chain: '',
      provider: 'own-node',
      request: '',
      height: '1',
      blockHash: null,
      fetchedAt: '',
      tokens: [],
    },
    ...{
      balanceBaseUnits: null,
      txCount: null,
      txCountKind: null,
      isContract: null,
      responseSha256: '',
      error: null,
    },
  }
  test.each<readonly [string, Partial<ChainFact>]>([
    ['a balance that the ledger explains', { balanceBaseUnits: '10000000' }],
    ['a balance that it does not explain', { balanceBaseUnits: '70000000' }],
    ['no transactions', { txCount: 0, txCountKind: 'total' }],
    ['a contract', { isContract: true }],
    ['no contract', { isContract: false }],
    ['nothing', { error: 'timeout' }],
  ])('(%s), it is no greener as of that moment than its report', async (_said, said) => {
    await noteProvidedChains(deciding.installation.database, ['ETH', 'BSC', 'BTC'])
    for (const [address, chain] of addresses) {
      const chainInputs: ChainInputs = { stage: 'answered', facts: [{ ...fact, ...said, chain }] }
      const report = await deciding.decide({ address, chain, reportId: '00000000000000f2', chainInputs })
      const { risk, balance, tx_count: count } = (await asOf(report)).report
      expect(levels.indexOf(risk.level), `${address} on ${chain}`).toBeGreaterThanOrEqual(
        levels.indexOf(report.level),
      )
      expect([balance, count]).toEqual([null, null])
    }
  })
  const levels = ['green', 'grey', 'orange', 'red']
})
