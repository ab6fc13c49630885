/** Worlds of the adversary in a real ledger: payments in the formats of files, and the report on the wallet that they reach. */
import { createHash } from 'node:crypto'
import {
  compilePolicy,
  decideScreening,
  defaultPolicy,
  knownCandidates,
  parseAddress,
  type LabelFacts,
  type PriceTable,
} from '@cupel/domain'
import type { Report } from '@cupel/contracts'
import { currentLedger, examineAddress, readClusterFacts } from '../../src/index.js'
import { bitcoinAddress } from '../bitcoin-address.js'
import { csvOf, type CsvTransfer, type LedgerInstallation } from '../installation.js'
import { freshSets } from '../losses/screened.js'

export const GENERATED_AT = '2026-11-21T09:00:00.000Z'
/** The last block of the declared ranges, an hour before the report. */
const LAST_BLOCK = 9_000_000
const LAST_AT_S = Date.parse('2026-11-21T08:00:00.000Z') / 1_000

/** Small limits, so that few payments reach them. */
export const LIMITS = { transfers: 8, transfers_per_intermediary: 6, hub_counterparties: 5 }
const policy = compilePolicy({
  ...defaultPolicy,
  exposure: { ...defaultPolicy.exposure, limits: { ...defaultPolicy.exposure.limits, ...LIMITS } },
})

export type Chain = 'ETH' | 'BTC'
export type Name = string

export interface Payment extends Pick<CsvTransfer, 'kind' | 'contract'> {
  readonly from: string
  readonly to: string
  /** In hundredths of the dust. */
  readonly units: bigint
}

export interface World {
  readonly chain: Chain
  /** The address with a name, of this world only. */
  readonly at: (name: Name) => string
  readonly labels: LabelFacts[]
}

export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const WBTC = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
/** A hundredth of about 25 dollars. */
const UNIT: Readonly<Record<string, bigint>> = { '': 10n ** 14n, [USDC]: 250_000n, [WBTC]: 500n }
const BITCOIN_UNIT = 500n
const hundredth = (contract = ''): bigint => UNIT[contract] ?? 250_000n

let worlds = 0
/** Worlds share a ledger, and no address. */
export function newWorld(chain: Chain): World {
  const world = (worlds += 1)
  const numbers = new Map<Name, number>()
  const numberOf = (name: Name): number => {
    const number = numbers.get(name) ?? numbers.size + 1
    numbers.set(name, number)
    return world * 1_000 + number
  }
  return {
    chain,
    at: (name) =>
      chain === 'BTC'
        ? bitcoinAddress(numberOf(name))
        : `0x${createHash('sha256')
            .update(String(numberOf(name)))
            .digest('hex')
            .slice(0, 40)}`,
    labels: [],
  }
}

export const label = (chain: string, address: string, changes: Partial<LabelFacts> = {}): LabelFacts => ({
  ...{
    labelId: `${chain} ${address}`,
    source: 'ofac_sdn',
    dataset: 'ofac_sdn',
    chain,
    address,
    subcategory: '',
  },
  ...{ category: 'sanctions', role: 'owner', entity: 'Group', origin: 'us-ofac', kind: 'designation' },
  ...{
    confidencePpm: 990_000,
    sourceUrl: '',
    observedAt: null,
    validFrom: null,
    validTo: null,
    sanction: null,
  },
  ...{ knownFrom: '2026-11-21T08:00:00.000Z', knownTo: null, ...changes },
})
export const CLEAN = {
  ...{ source: 'pack', dataset: 'pack', category: 'clean_exchange', entity: 'Exchange', origin: 'study' },
  ...{ kind: 'forensic', confidencePpm: 900_000 },
}

let blocks = 8_000_000
const nextBlock = (): number => (blocks += 1)
const timeOf = (block: number): string =>
  new Date((LAST_AT_S - (LAST_BLOCK - block) * 12) * 1_000).toISOString()
const hashOf = (block: number): string => block.toString(16).padStart(64, 'd')

export interface File {
  readonly format: 'csv' | 'ethereum-etl' | 'bitcoin-etl'
  /** Absent: the chain of the world. */
  readonly chain?: string
  readonly text: string
}

/** Payments that took place: each in a block and a transaction of its own. */
export interface Placed extends Payment {
  readonly block: number
}
export const placed = (payments: readonly Payment[]): readonly Placed[] =>
  payments.map((one) => ({ ...one, block: nextBlock() }))

export interface Holes {
  readonly block?: true
  readonly index?: true
}

/** In our own layout, with what an export leaves out. */
export const asCsv = (chain: Chain, payments: readonly Placed[], holes: Holes = {}): File => ({
  format: 'csv',
  text: csvOf(
    payments.map(({ block, from, to, units, kind = chain === 'BTC' ? 'utxo' : 'native', contract = '' }) => ({
      ...{ from, to, kind, contract, hash: chain === 'ETH' ? `0x${hashOf(block)}` : hashOf(block) },
      ...{ raw: String(units * (chain === 'BTC' ? BITCOIN_UNIT : hundredth(contract))) },
      block: holes.block === true ? '' : block,
      time: holes.block === true ? '' : timeOf(block),
      index: holes.index === true || kind !== 'token' ? '' : 3,
      txIndex: 2,
    })),
  )
    .replaceAll('\nETH,', `\n${chain},`)
    .replace(/,2$/gm, holes.index === true ? ',' : ',2'),
})

const common = ({ from, to, units, block, contract }: Placed): string =>
  `${block},${timeOf(block)},2,${from},${to},${units * hundredth(contract)}`
const COMMON = 'block_number,block_timestamp,transaction_index,from_address,to_address,value'

/** As ethereum-etl tells them: transactions, token transfers, or traces of geth, which have no hash. */
export const asEtl = (payments: readonly Placed[]): readonly File[] => {
  const of = (kind: string) => payments.filter((one) => (one.kind ?? 'native') === kind)
  const file = (heading: string, rows: readonly string[]): readonly File[] =>
    rows.length === 0 ? [] : [{ format: 'ethereum-etl', text: [heading, ...rows, ''].join('\n') }]
  const outer = (one: Placed): Placed =>
    (one.kind ?? 'native') === 'native'
      ? one
      : { ...one, from: `0x${'7'.repeat(40)}`, to: `0x${'8'.repeat(40)}`, units: 0n, contract: '' }
  return [
    ...file(
      `hash,nonce,gas_price,receipt_status,${COMMON}`,
      payments.map((one) => `0x${hashOf(one.block)},1,1,1,${common(outer(one))}`),
    ),
    ...file(
      `token_address,transaction_hash,log_index,${COMMON}`,
      of('token').map((one) => `${one.contract},0x${hashOf(one.block)},3,${common(one)}`),
    ),
    ...file(
      `trace_type,call_type,trace_address,error,${COMMON}`,
      of('internal').map((one) => `call,call,0,,${common(one)}`),
    ),
  ]
}

type Parts = readonly (readonly [owner: string, units: bigint])[]

/** One transaction with inputs and outputs. */
export const spend = (inputs: Parts, outputs: Parts, block = nextBlock()): string => {
  const parts = (of: Parts) =>
    of.map(([owner, units]) => ({ addresses: [owner], value: Number(units * BITCOIN_UNIT) }))
  return JSON.stringify({
    ...{ hash: hashOf(block), block_number: block, index: 2, timestamp: Date.parse(timeOf(block)) / 1_000 },
    ...{ inputs: parts(inputs), outputs: parts(outputs) },
  })
}
export const asBitcoinEtl = (payments: readonly Placed[]): File => ({
  format: 'bitcoin-etl',
  text: payments.map(({ from, to, units, block }) => spend([[from, units + 7n]], [[to, units], [from, 7n]], block)).join('\n'), // prettier-ignore
})

let files = 0
export async function imported(
  ledger: LedgerInstallation,
  chain: Chain,
  told: readonly File[],
): Promise<void> {
  for (const { format, text, chain: other = chain } of told)
    await ledger.imported(await ledger.file(`${(files += 1)}.txt`, text), { format, chain: other })
}

/** A chain on which an address of ETH exists too. */
export const ELSEWHERE = 'BSC'

/** Everything up to the last block is declared complete, so that only what the adversary does can forbid green. */
export async function declareAll(ledger: LedgerInstallation): Promise<void> {
  const heading = csvOf([])
  const range = { completeFrom: 0, completeTo: LAST_BLOCK, acceptEmpty: true, reason: 'test' }
  const covers = ['native', 'internal', 'token'] as const
  for (const chain of ['ETH', ELSEWHERE])
    await ledger.imported(await ledger.file(`${chain}.csv`, heading), { ...range, covers, chain })
  await ledger.imported(await ledger.file('btc.csv', heading), { ...range, chain: 'BTC' })
  const last = await ledger.file('blocks.csv', `number,timestamp\n${LAST_BLOCK},${LAST_AT_S}\n`)
  for (const chain of ['ETH', 'BTC', ELSEWHERE]) await ledger.imported(last, { format: 'blocks', chain })
}

function keyOf(address: string, chain: string): string {
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) throw new Error(`${address} is not an address of ${chain}`)
  return parsed.lookupKey
}

export async function screened(
  ledger: LedgerInstallation,
  { chain, at, labels }: World,
  prices: PriceTable | null = null,
): Promise<Report> {
  const address = at('wallet')
  const byKey = new Map<string, LabelFacts[]>()
  for (const one of labels) {
    const key = keyOf(one.address, one.chain)
    byKey.set(key, [...(byKey.get(key) ?? []), one])
  }
  const request = {
    ...{ chain, address, ledgerSeq: (await currentLedger(ledger.database)).ledgerSeq, policy, prices },
    ...{ labelSets: freshSets, generatedAt: GENERATED_AT },
    labelsOf: async (keys: readonly string[]) =>
      new Map(keys.flatMap((key) => (byKey.has(key) ? [[key, byKey.get(key)!] as const] : []))),
  }
  const own = byKey.get(keyOf(address, chain)) ?? []
  const elsewhere =
    chain === 'BTC'
      ? []
      : [
          {
            ...{ chain: ELSEWHERE, canonicalAddress: address, labels: own },
            exposure: await examineAddress(ledger.database, { ...request, chain: ELSEWHERE }),
          },
        ]
  const maxAddresses = policy.document.cluster.addresses
  const decision = decideScreening(
    {
      request: {
        ...{ reportId: '0'.repeat(16), accountId: 'account', livemode: true, reportUrl: '', address, chain },
        ...{
          canonicalAddress: address,
          candidateChains: [chain, ...elsewhere.map((one) => one.chain)],
          customerReference: null,
          jobId: null,
          jobIndex: null,
        },
      },
      snapshot: {
        ...{
          labelSetSeq: 1,
          labelView: 'current',
          labelsAsOf: '2026-11-21T08:00:00.000Z',
          labelSets: freshSets,
        },
        labels: own,
      },
      chainInputs: { stage: '', facts: [] },
      exposure: await examineAddress(ledger.database, request),
      candidates: knownCandidates(own, elsewhere),
      cluster: await readClusterFacts(ledger.database, { ...request, maxAddresses }),
      policy,
      generatedAt: GENERATED_AT,
    },
    (text) => createHash('sha256').update(text).digest('hex'),
  )
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return JSON.parse(decision.event.report) as Report
}
