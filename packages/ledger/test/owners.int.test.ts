/** Who owns an address by its cluster: counterparties are sources by it, and inputs of one owner make no CoinJoin. */
import { compiledDefaultPolicy, parseAddress, scoreExposure, type LabelFacts } from '@cupel/domain'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { currentLedger, examineAddress } from '../src/index.js'
import { bitcoinAddress } from './bitcoin-address.js'
import { startLedger, type LedgerInstallation } from './installation.js'

const GENERATED_AT = '2026-11-21T09:00:00.000Z'
const [SCREENED, MATE, LISTED, OTHER] = [1, 2, 3, 4].map(bitcoinAddress) as [string, string, string, string]

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

type Parts = readonly (readonly [owner: string, value: number])[]
let transactions = 0
function spend(inputs: Parts, outputs: Parts): string {
  transactions += 1
  const parts = (of: Parts) => of.map(([owner, value]) => ({ addresses: owner.split(','), value }))
  return JSON.stringify({
    ...{ hash: transactions.toString(16).padStart(64, '0'), block_number: transactions, index: 1 },
    timestamp: Date.parse('2026-01-01') / 1_000 + transactions * 3_600,
    ...{ inputs: parts(inputs), outputs: parts(outputs) },
  })
}
const imported = async (...lines: readonly string[]): Promise<void> =>
  void (await ledger.imported(await ledger.file('one.json', lines.join('\n')), {
    ...{ format: 'bitcoin-etl', chain: 'BTC' },
  }))

const label = (address: string, changes: Partial<LabelFacts> = {}): LabelFacts => ({
  ...{ labelId: address, subcategory: '', sanction: null, source: 'list', dataset: 'list', chain: 'BTC' },
  ...{ address, role: 'owner', category: 'sanctions', entity: 'Group', origin: 'list', kind: 'forensic' },
  ...{ confidencePpm: 900_000, sourceUrl: '', observedAt: null, validFrom: null, validTo: null },
  ...{ knownFrom: GENERATED_AT, knownTo: null, ...changes },
})

async function examined(labels: readonly LabelFacts[], address = SCREENED) {
  const { ledgerSeq } = await currentLedger(ledger.database)
  const keyOf = (one: string): string => {
    const parsed = parseAddress(one, 'BTC')
    if (!parsed.ok) throw new Error(one)
    return parsed.lookupKey
  }
  return await examineAddress(ledger.database, {
    ...{ chain: 'BTC', address, ledgerSeq, policy: compiledDefaultPolicy, labelSets: [] },
    generatedAt: GENERATED_AT,
    labelsOf: async (keys) =>
      new Map(
        labels.flatMap((one) =>
          keys.includes(keyOf(one.address)) ? [[keyOf(one.address), [one]] as const] : [],
        ),
      ),
  })
}

const COIN = 100_000_000

describe('a counterparty that spends together with a labelled address', () => {
  const joined = () => [
    spend([[MATE, COIN], [LISTED, COIN]], [[OTHER, 2 * COIN]]),
    spend([[MATE, COIN]], [[SCREENED, COIN]]),
  ] // prettier-ignore

  test('is a source with 0.9 of the confidence, below red', async () => {
    await imported(...joined())
    const { measures, breakdown } = await examined([label(LISTED)])
    expect(measures).toMatchObject([
      {
        category: 'sanctions',
        relation: 'direct',
        isCluster: true,
        confidencePpm: 810_000,
        sourceAddress: MATE,
      },
    ])
    expect(breakdown).toMatchObject([{ parts: [{ category: 'sanctions', relation: 'direct' }] }])
    const policy = compiledDefaultPolicy
    const [scored] = scoreExposure([{ ...measures[0]!, confidencePpm: 1_000_000 }], {
      policy,
      isCleanService: false,
    })
    expect(scored!.contribution).toBe(6_999)
  })

  test('is one over hops too, and whichever import joined them', async () => {
    await imported(spend([[MATE, COIN]], [[OTHER, COIN]]), spend([[OTHER, COIN]], [[SCREENED, COIN]]))
    await imported(spend([[MATE, COIN], [LISTED, COIN]], [[bitcoinAddress(9), 2 * COIN]])) // prettier-ignore
    expect((await examined([label(LISTED)])).measures).toMatchObject([
      { category: 'sanctions', relation: 'indirect', isCluster: true, sourceAddress: MATE },
    ])
  })

  test('counts by its own label if that says as much', async () => {
    await imported(...joined())
    expect((await examined([label(LISTED), label(MATE)])).measures).toMatchObject([
      { isCluster: false, confidencePpm: 900_000 },
    ])
  })

  test.each([
    ['a darknet market or a mixer does not stop the cluster', 'darknet', 1],
    ['a clean service does: its customers spend together', 'clean_exchange', 0],
  ])('%s', async (_name, category, count) => {
    await imported(spend([[LISTED, COIN], [OTHER, COIN]], [[bitcoinAddress(9), 2 * COIN]]), ...joined()) // prettier-ignore
    const { measures } = await examined([label(LISTED), label(OTHER, { category })])
    expect(measures.filter((one) => one.category === 'sanctions')).toHaveLength(count)
  })
})

describe('ten equal outputs', () => {
  const wallet = (from: number, count: number): readonly string[] =>
    Array.from({ length: count }, (_, n) => bitcoinAddress(1_000 + from + n))
  const each = (of: readonly string[]): Parts => of.map((one) => [one, COIN] as const)
  const payees = [SCREENED, ...wallet(500, 9)]

  test('of two designated addresses are payments', async () => {
    await imported(spend([[MATE, 5 * COIN], [LISTED, 5 * COIN]], each(payees))) // prettier-ignore
    expect((await examined([label(LISTED), label(MATE)])).measures).toMatchObject([
      { category: 'sanctions', relation: 'direct', amount: `${COIN}`, isCluster: false },
    ])
  })

  test('of two designated wallets that are one entity are payments, whatever the number of inputs', async () => {
    const inputs = wallet(0, 10)
    await imported(spend(each(inputs), each(payees)))
    const labels = inputs.map((one) => label(one))
    expect((await examined(labels)).measures).toMatchObject([
      { category: 'sanctions', relation: 'direct', amount: `${COIN}`, sources: 10 },
    ])
    expect((await examined(labels, inputs[0])).measures).toEqual([])
  })

  test('of inputs that other transactions join to one cluster are payments', async () => {
    const inputs = wallet(0, 10)
    await imported(spend(each(inputs), each(payees)))
    const strangers = await examined([label(inputs[3]!)])
    expect(strangers.measures.map(({ category, relation }) => `${category} ${relation}`)).toEqual([
      'mixer direct',
      'sanctions indirect',
    ])
    await imported(spend(each(inputs), [[OTHER, 10 * COIN]]))
    const { measures } = await examined([label(inputs[3]!)])
    expect(
      measures.map(({ category, relation, amount, isCluster }) => [category, relation, amount, isCluster]),
    ).toEqual([
      ['sanctions', 'direct', `${COIN / 10}`, false],
      ['sanctions', 'direct', `${(COIN * 9) / 10}`, true],
    ])
  })

  test('of strangers are a CoinJoin, in which designated value keeps its share and nobody else is known', async () => {
    const inputs = wallet(0, 10)
    await imported(spend(each(inputs), each(payees)))
    const thief = label(inputs[4]!, { category: 'stolen', entity: 'Thief' })
    const exchange = label(inputs[5]!, { category: 'clean_exchange', entity: 'Exchange' })
    const record = await examined([label(inputs[3]!), thief, exchange])
    expect(record.measures).toMatchObject([
      { category: 'mixer', subcategory: 'coinjoin', relation: 'direct', amount: `${COIN}` },
      { category: 'sanctions', relation: 'indirect', amount: `${COIN / 10}`, sourceAddress: inputs[3] },
    ])
    expect(record.breakdown).toMatchObject([{ parts: [{ category: 'mixer', amount: `${COIN}` }] }])
  })
})

describe('bare multisignature', () => {
  test('is one node with the labels of all its keys, in any order, and joins nobody', async () => {
    const stranger = bitcoinAddress(8)
    await imported(
      spend([[`${OTHER},${LISTED}`, COIN]], [[SCREENED, COIN]]),
      spend([[SCREENED, COIN]], [[`${LISTED},${OTHER}`, COIN]]),
      spend([[`${OTHER},${LISTED}`, COIN], [stranger, COIN]], [[MATE, 2 * COIN]]),
    ) // prettier-ignore
    const { measures, breakdown, incomplete } = await examined([label(LISTED)])
    expect(measures).toMatchObject([
      { category: 'sanctions', direction: 'in', amount: `${COIN}`, sources: 1 },
      { category: 'sanctions', direction: 'out', amount: `${COIN}`, sources: 1 },
    ])
    expect(incomplete).not.toContain('uncounted_value')
    expect(new Set(breakdown.map(({ parts }) => parts[0]!.counterparties[0]!.address)).size).toBe(1)
    expect((await examined([label(LISTED)], stranger)).measures).toEqual([])
  })

  test('with a key that cannot be read stays value of an unknown owner', async () => {
    await imported(spend([[`${OTHER},nonstandard1`, COIN]], [[SCREENED, COIN]]))
    expect((await examined([])).incomplete).toContain('uncounted_value')
  })
})
