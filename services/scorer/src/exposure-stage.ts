/**
 * The stage of exposure: where the ledger holds a screened address, its neighbourhood is read in the state of ledger and
 * labels that the report names, within a budget. A late stage is dropped whole and recorded; limits inside it are counts.
 * Without a ledger the stage does nothing, not even wait.
 */
import { createSlots } from '@cupel/concurrency'
import type { ExposureRecord, Lane, Logger, Metrics } from '@cupel/contracts'
import {
  compiledDefaultPolicy,
  emptyExposure,
  type CompiledPolicy,
  type LabelFacts,
  type LabelSetFacts,
} from '@cupel/domain'
import { examineAddress, readTransfers, type KnownSizes, type Pace } from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import { labelFacts, readLabelsAsOf } from '@cupel/read-models'
import type { Request } from './lane.js'
import { watchLedger, type Ranges } from './ledger-watch.js'
import { createTurns, LateError } from './turns.js'

export interface ExposureContext {
  readonly policy: CompiledPolicy
  readonly labelSetSeq: number
  readonly labelSets: readonly LabelSetFacts[]
  /** UTC, RFC 3339. */
  readonly generatedAt: string
}

/**
 * Begins to ask the ledger about a batch, while its labels are still being read. `null` where there is no ledger: then
 * nothing is asked and nothing waits.
 */
export type LookIntoLedger = (requests: readonly Request[]) => LedgerLook | null

export interface LedgerLook {
  /** One record per request, in their order, each as soon as it is known; null for the sandbox. None rejects. */
  examine(context: ExposureContext): readonly (Promise<ExposureRecord> | null)[]
}

export interface ExposureStage {
  forLane(lane: Lane): LookIntoLedger
  stop(): Promise<void>
}

export interface ExposureStageDeps {
  readonly database: Queryable
  readonly logger: Logger
  readonly metrics: Metrics
  /** How long a screen waits for the ledger. */
  readonly budgetMs: number
}

/** Nobody waits for an item of a bulk. */
const BULK_BUDGETS = 10
/** Addresses examined at once: each takes a connection from the label look-ups. */
const CONCURRENT_EXAMINATIONS = 3

/** Resolves once it is known whether there is a ledger. */
export async function startExposureStage(deps: ExposureStageDeps): Promise<ExposureStage> {
  const { database, budgetMs } = deps
  const outcomes = deps.metrics.counter('scorer_exposure_total', 'Addresses looked for in the ledger', [
    'status',
  ])
  const ledger = await watchLedger(deps)
  const examinations = createSlots(CONCURRENT_EXAMINATIONS)
  const turns = createTurns()
  const knownSizes: KnownSizes = new Map()

  /** Transfers of an address that the policy in force reads; learned from it. */
  let transfersLimit = compiledDefaultPolicy.exposure.document.limits.transfers

  function look(
    requests: readonly Request[],
    { ledgerSeq, lane, deadlineAtMs }: { ledgerSeq: number; lane: Lane; deadlineAtMs: number },
  ): LedgerLook {
    const pace = turns.until(deadlineAtMs)
    const groups = [...addressesByChain(requests)].map(([chain, addresses]) => {
      // Most addresses are in no ledger: those it surely does not hold are not asked about.
      const asked = [...addresses].filter((one) => ledger.mayHold(chain, one, ledgerSeq))
      const state = { chain, ledgerSeq, addresses: asked, lane, pace }
      const limit = transfersLimit
      const own = readTransfers(database, { ...state, limit })
      // Whoever examines hears of a failure; until then it must not count as unhandled.
      own.catch(() => undefined)
      const ranges = ledger.rangesOf(chain, ledgerSeq)
      return { ...state, screened: addresses, ranges, own: { limit, transfers: own } }
    })
    return {
      examine(context) {
        const records = new Map<string, Promise<ExposureRecord>>()
        for (const group of groups) {
          const { transfers } = ownUnder(context.policy, group)
          for (const address of group.screened) {
            const work = (): Promise<ExposureRecord> => examineOne(address, group, transfers, context)
            const record = withinDeadline(work, { ledgerSeq, policy: context.policy }, deadlineAtMs)
            records.set(`${group.chain} ${address}`, record)
          }
        }
        return requests.map(({ data }) => {
          const record = records.get(`${data.chain} ${data.canonicalAddress}`)
          if (!data.livemode || record === undefined) return null
          return record.then((one) => {
            outcomes.inc({ status: one.status })
            return one
          })
        })
      },
    }
  }

  /** Another policy may read more or fewer transfers than were asked for. */
  function ownUnder(policy: CompiledPolicy, { own, ...state }: LookGroup): LookGroup['own'] {
    transfersLimit = policy.exposure.document.limits.transfers
    if (transfersLimit === own.limit) return own
    const transfers = readTransfers(database, { ...state, limit: transfersLimit })
    transfers.catch(() => undefined)
    return { limit: transfersLimit, transfers }
  }

  async function examineOne(
    address: string,
    { chain, ledgerSeq, addresses, ranges, lane, pace }: LookGroup,
    transfers: LookGroup['own']['transfers'],
    context: ExposureContext,
  ): Promise<ExposureRecord> {
    const found = addresses.includes(address) ? (await transfers).get(address) : undefined
    const own = found ?? { transfers: [], isCut: false }
    const labels = labelsOf(database, context.labelSetSeq)
    const examine = async (): Promise<ExposureRecord> =>
      await examineAddress(
        database,
        { ...context, chain, ledgerSeq, address, labelsOf: labels },
        { before: { own, ranges: await ranges }, pace, knownSizes },
      )
    return own.transfers.length === 0
      ? await examine()
      : await examinations(examine, { isUrgent: lane === 'interactive' })
  }

  async function withinDeadline(
    work: () => Promise<ExposureRecord>,
    all: { readonly ledgerSeq: number; readonly policy: CompiledPolicy },
    deadlineAtMs: number,
  ): Promise<ExposureRecord> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<ExposureRecord>((resolve) => {
      timer = setTimeout(
        () => resolve(emptyExposure('late', all)),
        Math.max(0, deadlineAtMs - performance.now()),
      )
    })
    const ended = work().catch((error: unknown) => {
      if (error instanceof LateError) return emptyExposure('late', all)
      deps.logger.warn({ err: error }, 'The ledger could not be examined')
      return emptyExposure('failed', { ...all, error: error instanceof Error ? error.name : 'Error' })
    })
    try {
      return await Promise.race([ended, late])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    forLane: (lane) => (requests) => {
      const ledgerSeq = ledger.seq()
      if (ledgerSeq === 0 || !requests.some(({ data }) => data.livemode)) return null
      const ms = lane === 'bulk' ? budgetMs * BULK_BUDGETS : budgetMs
      return look(requests, { ledgerSeq, lane, deadlineAtMs: performance.now() + ms })
    },
    stop: () => ledger.stop(),
  }
}

function addressesByChain(requests: readonly Request[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byChain = new Map<string, Set<string>>()
  for (const { data } of requests) {
    if (!data.livemode) continue
    const addresses = byChain.get(data.chain) ?? new Set<string>()
    byChain.set(data.chain, addresses.add(data.canonicalAddress))
  }
  return byChain
}

/** The addresses of one chain, and what was asked about them. */
interface LookGroup {
  readonly lane: Lane
  /** Of everything that is done for this batch: it ends with the deadline. */
  readonly pace: Pace
  readonly chain: string
  readonly ledgerSeq: number
  readonly screened: ReadonlySet<string>
  /** Those of them that the ledger is asked about. */
  readonly addresses: readonly string[]
  readonly ranges: Promise<Ranges>
  readonly own: { readonly limit: number; readonly transfers: ReturnType<typeof readTransfers> }
}

/** Labels of counterparties, in the state of labels that the report rests on. */
function labelsOf(database: Queryable, labelSetSeq: number) {
  return async (lookupKeys: readonly string[]): Promise<ReadonlyMap<string, readonly LabelFacts[]>> => {
    const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq })
    const byKey = new Map<string, LabelFacts[]>()
    for (const label of labels) {
      const known = byKey.get(label.lookupKey)
      if (known === undefined) byKey.set(label.lookupKey, [labelFacts(label)])
      else known.push(labelFacts(label))
    }
    return byKey
  }
}
