/** Each limit of a policy does something: fewer and more change what an examination of a ledger finds. */
import {
  compilePolicy,
  defaultPolicy,
  parseAddress,
  type ExposureLimits,
  type LabelFacts,
  type PolicyDocument,
} from '@cupel/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineAddress } from '../src/index.js'
import { bitcoinAddress } from './bitcoin-address.js'
import {
  address,
  csvOf,
  hash,
  startLedger,
  type CsvTransfer,
  type LedgerInstallation,
} from './installation.js'

const GENERATED_AT = '2026-11-21T09:00:00.000Z'
const ACCOUNTS = Array.from({ length: 14 }, (_, n) => address(500 + n))
const THIEF = ACCOUNTS[0]!
const [PAID, MATE, LISTED] = [1, 2, 3].map(bitcoinAddress) as [string, string, string]

/** Small enough that a few transfers reach each of them. */
const LIMITS: ExposureLimits = {
  transfers: 6,
  intermediaries: 3,
  transfers_per_intermediary: 6,
  transfers_of_intermediaries: 14,
  hub_counterparties: 8,
  paths: 1,
}

/** Payments among the accounts, larger and smaller, an hour apart; those of the thief come first. */
function payments(): readonly CsvTransfer[] {
  let state = 7
  const upTo = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  return Array.from({ length: 90 }, (_, at) => {
    const from = at < 12 ? 0 : 1 + upTo(13)
    const to = (from + 1 + upTo(13)) % 14
    return {
      ...{
        from: ACCOUNTS[from]!,
        to: ACCOUNTS[to === 0 ? 13 : to]!,
        raw: `${1 + upTo(900)}${'0'.repeat(15)}`,
      },
      ...{ hash: hash(at + 1), time: new Date(Date.parse('2026-11-01') + at * 3_600_000).toISOString() },
    }
  }).filter(({ from, to }) => from !== to)
}

/** One transaction of two addresses that is a cluster, and a payment of one of them. */
function joined(): string {
  const parts = (of: readonly string[]) => of.map((owner) => ({ addresses: [owner], value: 100_000_000 }))
  return [
    {
      hash: '1'.padStart(64, '0'),
      block_number: 1,
      inputs: parts([MATE, LISTED]),
      outputs: parts([bitcoinAddress(4)]),
    },
    { hash: '2'.padStart(64, '0'), block_number: 2, inputs: parts([MATE]), outputs: parts([PAID]) },
    {
      hash: '3'.padStart(64, '0'),
      block_number: 3,
      inputs: parts([LISTED, bitcoinAddress(5)]),
      outputs: parts([bitcoinAddress(4)]),
    },
  ]
    .map((one, at) => JSON.stringify({ ...one, index: 1, timestamp: 1_767_225_600 + at * 3_600 }))
    .join('\n')
}

const stolen = (of: string, chain: string): LabelFacts => ({
  ...{ labelId: of, subcategory: '', sanction: null, source: 'list', dataset: 'list', chain, address: of },
  ...{ role: 'owner', category: 'stolen', entity: 'A thief', origin: 'list', kind: 'forensic' },
  ...{ confidencePpm: 900_000, sourceUrl: '', observedAt: null, validFrom: null, validTo: null },
  ...{ knownFrom: GENERATED_AT, knownTo: null },
})

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
  await ledger.imported(await ledger.file('payments.csv', csvOf(payments())))
  await ledger.imported(await ledger.file('joined.json', joined()), { format: 'bitcoin-etl', chain: 'BTC' })
}, 60_000)
afterAll(async () => await ledger.close())

/** What is found of an address, without the limits themselves. */
async function found(document: PolicyDocument, screened: string, chain = 'ETH'): Promise<string> {
  const label = chain === 'ETH' ? stolen(THIEF, chain) : stolen(LISTED, chain)
  const parsed = parseAddress(label.address, chain)
  const key = parsed.ok ? parsed.lookupKey : ''
  const record = await examineAddress(ledger.database, {
    ...{ chain, address: screened, ledgerSeq: 2, labelSets: [], generatedAt: GENERATED_AT },
    policy: compilePolicy(document),
    labelsOf: async (keys) => new Map(keys.includes(key) ? [[key, [label]]] : []),
  })
  return JSON.stringify({ ...record, limits: null })
}

const withLimits = (limits: ExposureLimits): PolicyDocument => ({
  ...defaultPolicy,
  exposure: { ...defaultPolicy.exposure, limits },
})
const names = Object.keys(defaultPolicy.exposure.limits) as readonly (keyof ExposureLimits)[]

test.each(names)('fewer and more of exposure.limits.%s change what is found', async (name) => {
  const before = await Promise.all(ACCOUNTS.map((one) => found(withLimits(LIMITS), one)))
  const changes = async (value: number): Promise<boolean> => {
    const other = withLimits({ ...LIMITS, [name]: value })
    const after = await Promise.all(ACCOUNTS.map((one) => found(other, one)))
    return after.some((text, at) => text !== before[at])
  }
  const value = LIMITS[name]
  expect((await changes(value - 1)) || (await changes(Math.floor(value / 2)))).toBe(true)
  expect((await changes(value + 1)) || (await changes(value * 2))).toBe(true)
})

test('cluster.addresses decides whose clusters are used', async () => {
  const least = (addresses: number): PolicyDocument => ({
    ...defaultPolicy,
    cluster: { ...defaultPolicy.cluster, addresses },
  })
  expect(await found(least(3), PAID, 'BTC')).toContain('"category":"stolen"')
  expect(await found(least(2), PAID, 'BTC')).not.toContain('"category":"stolen"')
})
