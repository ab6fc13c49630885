/**
 * Examines addresses on the ledger, in the state of ledger and labels that a report names. Addresses that come at the same moment are read
 * together, few examinations run at once, and they take turns.
 */
import { createBatcher, createSlots } from '@cupel/kit/concurrency'
import type { ExposureRecord, Lane } from '@cupel/contracts'
import {
  compilePolicyText,
  type ClusterFacts,
  type LabelFacts,
  type LabelSetFacts,
  type PriceTable,
} from '@cupel/domain'
import {
  createKnownTransfers,
  examineAddress,
  PriceTableAlteredError,
  readClusterFacts,
  readPriceTable,
  readTransfers,
  type KnownSizes,
  type Searched,
  type TransfersOfAddress,
} from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import { labelFacts, readOnlyLabelsAsOf } from '@cupel/labels/read-model'
import type { Ranges } from '../ledger-watch.js'
import { createTurns, type Turns } from '../turns.js'
import { createKnownLabels, type KnownLabels } from './known-labels.js'

/** One address to examine. It can be sent to a thread. */
export interface ExaminationOrder {
  /** Accounts take turns. */
  readonly accountId: string
  readonly chain: string
  readonly address: string
  readonly ledgerSeq: number
  readonly labelSetSeq: number
  readonly labelSets: readonly LabelSetFacts[]
  readonly policyText: string
  /** UTC, RFC 3339. */
  readonly generatedAt: string
  readonly ranges: Ranges
  /** False only if no file of the chain is what a provider said of one address. */
  readonly hasHistories: boolean
  /** Names the table of daily prices; null without one. */
  readonly pricesSha256: string | null
  /** Late work takes no slot of a screen. */
  readonly lane: Lane | 'late'
  /** On the clock of `processMs`. The examination ends there with a LateError. */
  readonly deadlineAtMs: number
}

export interface Examined<Result> {
  readonly result: Result
  /** The first end of a label at or after the report, as milliseconds since 1970: from then on the result may be another one. */
  readonly labelsHoldUntilMs: number
  /** Of an exposure: what its search went through. */
  readonly searched?: Searched
}

export interface Examiner {
  /** Rejects with a LateError after the deadline. */
  exposure(order: ExaminationOrder): Promise<Examined<ExposureRecord>>
  /** Null for an address that never spent together with another one. */
  cluster(order: ExaminationOrder): Promise<Examined<ClusterFacts | null>>
}

export const noTransfers: TransfersOfAddress = { transfers: [], isCut: false, netBaseUnits: null }

/** Examinations at once: each uses a connection that label look-ups need too. */
const CONCURRENT_EXAMINATIONS = 3
/** Of those, examinations of addresses with more transfers than these: they take many times as long, and most screens do not wait for them. */
const CONCURRENT_LARGE = CONCURRENT_EXAMINATIONS - 1
/** Of those, examinations of bulk jobs: a caller who waits for a large address finds a place. */
const CONCURRENT_LARGE_BULK = CONCURRENT_LARGE - 1
const FEW_TRANSFERS = 50
/** Batches of transfers that are read at once. */
const CONCURRENT_READS = 3

/** Milliseconds that only rise, the same in all threads of the process. */
export const processMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Examines in this thread. */
export function createExaminer(
  database: Queryable,
  turns: Turns = createTurns({ now: processMs }),
): Examiner {
  const inTurn = createPlaces()
  /** Examinations for which a caller waits. */
  let awaited = 0
  const knownSizes: KnownSizes = new Map()
  const knownTransfers = createKnownTransfers()
  const knownLabels = createKnownLabels()
  const pricesOf = keepPrices(database)
  const own = createBatcher<OwnRequest, TransfersOfAddress>({
    run: (requests) => readTogether(database, requests, (atMs) => turns.until(atMs)),
    maxConcurrentBatches: CONCURRENT_READS,
  })
  const counted = async <T>({ lane }: ExaminationOrder, work: () => Promise<T>): Promise<T> => {
    if (lane === 'late') return await work()
    awaited += 1
    try {
      return await work()
    } finally {
      awaited -= 1
    }
  }
  const paceOf = ({ lane, deadlineAtMs }: ExaminationOrder) =>
    lane === 'late' ? turns.until(deadlineAtMs, () => awaited > 0) : turns.until(deadlineAtMs)

  async function exposureOf(order: ExaminationOrder): Promise<Examined<ExposureRecord>> {
    const { chain, address, ledgerSeq, labelSets, generatedAt, ranges, hasHistories } = order
    const { pricesSha256, deadlineAtMs } = order
    let searched: Searched | undefined
    const policy = compilePolicyText(order.policyText)
    const { transfers: limit } = policy.exposure.document.limits
    const { labelsOf, holdUntilMs } = readLabels(database, knownLabels, order)
    const read = await own.add({ chain, address, ledgerSeq, limit, deadlineAtMs })
    const examine = async (): Promise<ExposureRecord> =>
      await examineAddress(
        database,
        {
          ...{ chain, address, ledgerSeq, labelSets, generatedAt, policy, labelsOf },
          prices: await pricesOf(pricesSha256),
        },
        {
          ...{ before: { own: read, ranges, hasHistories }, pace: paceOf(order), knownSizes, knownTransfers },
          onSearched: (told) => void (searched = told),
        },
      )
    const result = await (read.transfers.length === 0
      ? examine()
      : inTurn(order, examine, read.transfers.length))
    return { result, labelsHoldUntilMs: holdUntilMs(), ...(searched === undefined ? {} : { searched }) }
  }

  return {
    exposure: (order) => counted(order, () => exposureOf(order)),
    async cluster(order) {
      const { chain, address, ledgerSeq } = order
      const maxAddresses = compilePolicyText(order.policyText).document.cluster.addresses
      const { labelsOf, holdUntilMs } = readLabels(database, knownLabels, order)
      const request = { chain, address, ledgerSeq, maxAddresses, labelsOf }
      const result = await inTurn(order, () => readClusterFacts(database, request))
      return { result, labelsHoldUntilMs: holdUntilMs() }
    },
  }
}

type InTurn = <T>(
  order: Pick<ExaminationOrder, 'lane' | 'accountId'>,
  work: () => Promise<T>,
  transfers?: number,
) => Promise<T>

/** The places of examinations, each with the number of transfers of its address. */
function createPlaces(): InTurn {
  const inSlot = createSlots(CONCURRENT_EXAMINATIONS)
  const inLargeSlot = createSlots(CONCURRENT_LARGE)
  const inLargeBulkSlot = createSlots(CONCURRENT_LARGE_BULK)
  return ({ lane, accountId: owner }, work, transfers = 0) => {
    if (lane === 'late') return work()
    const isLast = lane === 'bulk'
    if (transfers <= FEW_TRANSFERS) return inSlot(work, { owner, isLast, isUrgent: true })
    const inPlace = () => inLargeSlot(() => inSlot(work, { owner, isLast }), { owner, isLast })
    return isLast ? inLargeBulkSlot(inPlace, { owner }) : inPlace()
  }
}

interface OwnRequest {
  readonly chain: string
  readonly address: string
  readonly ledgerSeq: number
  readonly limit: number
  readonly deadlineAtMs: number
}

/** One statement for the addresses of one chain and state. */
async function readTogether(
  database: Queryable,
  requests: readonly OwnRequest[],
  paceUntil: ReturnType<typeof createTurns>['until'],
): Promise<readonly Promise<TransfersOfAddress>[]> {
  const groups = new Map<string, OwnRequest[]>()
  const nameOf = ({ chain, ledgerSeq, limit }: OwnRequest): string => `${chain} ${ledgerSeq} ${limit}`
  for (const one of requests) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one])
  const read = new Map<string, ReturnType<typeof readTransfers>>()
  for (const [name, group] of groups) {
    const addresses = [...new Set(group.map(({ address }) => address))]
    const pace = paceUntil(Math.max(...group.map(({ deadlineAtMs }) => deadlineAtMs)))
    const { chain, ledgerSeq, limit } = group[0]!
    read.set(name, readTransfers(database, { chain, ledgerSeq, limit, addresses, areScreened: true, pace }))
  }
  await Promise.allSettled(read.values())
  return requests.map(async (one) => (await read.get(nameOf(one))!).get(one.address) ?? noTransfers)
}

/** The prices in force are in the tables: a report that names them counts none as unknown because they were removed. */
async function presentPrices(database: Queryable, sha256: string): Promise<PriceTable> {
  const table = await readPriceTable(database, sha256)
  if (table === null) throw new PriceTableAlteredError(`The table of prices ${sha256} has no prices`)
  return table
}

/** The table of prices that was asked for last. */
function keepPrices(database: Queryable): (sha256: string | null) => Promise<PriceTable | null> {
  let kept: { readonly sha256: string; readonly table: Promise<PriceTable> } | null = null
  return async (sha256) => {
    if (sha256 === null) return null
    if (kept?.sha256 !== sha256) kept = { sha256, table: presentPrices(database, sha256) }
    const reading = kept
    return await reading.table.catch((error: unknown) => {
      if (kept === reading) kept = null
      throw error
    })
  }
}

/** Reads the labels of counterparties, in the state of labels that the report names. */
function readLabels(database: Queryable, known: KnownLabels, { labelSetSeq, generatedAt }: ExaminationOrder) {
  const madeAtMs = Date.parse(generatedAt)
  let endsAtMs = Infinity
  const read = async (lookupKeys: readonly string[]): Promise<ReadonlyMap<string, readonly LabelFacts[]>> => {
    const labels = await readOnlyLabelsAsOf(database, { lookupKeys, labelSetSeq })
    const byKey = new Map<string, LabelFacts[]>()
    for (const label of labels) {
      const facts = byKey.get(label.lookupKey)
      if (facts === undefined) byKey.set(label.lookupKey, [labelFacts(label)])
      else facts.push(labelFacts(label))
    }
    return byKey
  }
  return {
    async labelsOf(lookupKeys: readonly string[]): Promise<ReadonlyMap<string, readonly LabelFacts[]>> {
      const labels = await known.of(labelSetSeq, lookupKeys, read)
      for (const { validTo } of [...labels.values()].flat()) {
        const atMs = validTo === null ? Infinity : Date.parse(validTo)
        if (atMs >= madeAtMs) endsAtMs = Math.min(endsAtMs, atMs)
      }
      return labels
    },
    holdUntilMs: () => endsAtMs,
  }
}
