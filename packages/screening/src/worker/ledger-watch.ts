/**
 * Follows the state of the ledger that the log states, and keeps what every screen needs to know about that state: the declared ranges, the
 * prices in force, and a filter that identifies addresses without transfers.
 */
import { sleep, startLoop } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import {
  compareRows,
  createLedgerCheck,
  declaredRanges,
  hasHistories,
  keepComparison,
  ledgerChains,
  LEDGER_LOOK_INTERVAL_MS,
  readAddressFilter,
  type AddressFilter,
  type CheckedLedgerDeps,
} from '@cupel/ledger'
import { followRows, type FollowedRows } from './followed-rows.js'

export type Ranges = Awaited<ReturnType<typeof declaredRanges>>

export interface LedgerWatch {
  /** The ledger sequence; 0 where there is no ledger. */
  seq(): number
  /** Why nothing of the ledger may be used, as a sentence; null if it may. */
  fault(): string | null
  /** Declared ranges; read once for each state. */
  rangesOf(chain: string, ledgerSeq: number): Promise<Ranges>
  /** Whether any file of the chain is what a provider said of one address; read once for each state. */
  hasHistories(chain: string, ledgerSeq: number): Promise<boolean>
  /** Names the table of daily prices in force; null without any. */
  pricesSha256(): string | null
  /**
   * False only where the ledger has no transfer of the address in that state. Until the filter has been read it is true on every chain of
   * which the ledger has a segment.
   */
  mayHold(chain: string, address: string, ledgerSeq: number): boolean
  /** How far all rows of the ledger are compared with the log. */
  rows(): ReturnType<FollowedRows['state']>
  stop(): Promise<void>
}

export interface LedgerWatchDeps extends CheckedLedgerDeps {
  readonly logger: Logger
  /** The first state of the ledger is seen when this resolves. */
  readonly beforeFirst?: () => Promise<void>
  /** A difference of its rows, as in `FollowedRowsDeps`. */
  readonly doubt?: string | null
  /** Milliseconds of a monotonic clock; for tests. */
  readonly nowMs?: () => number
  /** A ledger with more addresses has no filter. */
  readonly maxFilteredAddresses?: number
}

/** Between two pages the filter rests this many times as long as a page took: screens use the same database. */
const REST_PER_WORK = 1
/** A state that was not confirmed for longer does not count as the present one: the database may hang. */
export const LEDGER_STALE_AFTER_MS = 30_000
const NOT_READ = `The state of the ledger could not be read for ${LEDGER_STALE_AFTER_MS / 1_000} s.`
/** A row that has no event for longer is told to the operator: it does not come from an import that goes on. */
export const UNSTATED_AFTER_MS = 60_000
/** Pause before a failed reading of the filter is tried again; until then every address is queried. */
const FILTER_RETRY_MS = 10_000

/** Resolves after the first look. Where a look fails, the state last seen stays for a while; without one nothing may be used. */
export async function watchLedger(deps: LedgerWatchDeps): Promise<LedgerWatch> {
  const { database, logger, beforeFirst, nowMs = () => performance.now() } = deps
  let seenAtMs = nowMs()
  const tellUnstated = createUnstatedNotice(logger, nowMs)
  let seq = 0
  let isUsed = false
  let fault: string | null = 'The state of the ledger is not known yet.'
  const ranges = keepByState((of) => declaredRanges(database, of))
  const histories = keepByState((of) => hasHistories(database, of))
  let pricesSha256: string | null = null
  let chains: ReadonlySet<string> = new Set()
  const filters = keepFilter(deps)
  const check = createLedgerCheck(deps, { keep: keepComparison })
  const stopFor = (reason: string): void => {
    if (fault !== reason) logger.error({ fault: reason }, 'Screening stops for the ledger')
    fault = isUsed ? `${reason} Then restart the scorer.` : reason
  }
  const look = async (): Promise<void> => {
    const beganAtMs = nowMs()
    const found = await check()
    seenAtMs = beganAtMs
    tellUnstated(found.unstated)
    const { ledgerSeq: next, pricesSha256: sha256 } = found
    // What was read of altered rows since the last look is still in memory, so a fault stays.
    if (isUsed && fault !== null) return
    if (found.fault !== null) return stopFor(found.fault)
    if (seq === 0 && next > 0) await beforeFirst?.()
    if (next !== seq) {
      chains = await ledgerChains(database)
      ranges.forget()
      histories.forget()
    }
    seq = next
    filters.renew(seq, found.replacements)
    pricesSha256 = sha256
    isUsed = true
    fault = null
  }
  const complain = (error: unknown): void => {
    if (!isUsed) fault = `The state of the ledger cannot be read: ${String(error)}`
    logger.debug({ err: error }, 'The ledger could not be read')
  }
  await look().catch(complain)
  const loop = startLoop({
    step: look,
    restMs: LEDGER_LOOK_INTERVAL_MS,
    firstAfterMs: LEDGER_LOOK_INTERVAL_MS,
    onError: complain,
  })
  const rows = followLedgerRows({ ...deps, nowMs }, check, stopFor)
  return {
    seq: () => seq,
    fault: () => fault ?? rows.doubt() ?? (nowMs() - seenAtMs > LEDGER_STALE_AFTER_MS ? NOT_READ : null),
    pricesSha256: () => pricesSha256,
    rows: () => rows.state(),
    rangesOf: ranges.of,
    hasHistories: histories.of,
    mayHold(chain, address, ledgerSeq) {
      const filter = filters.current()
      // A ledger never loses a chain, so one of a later state is known to all states.
      if (!chains.has(chain)) return false
      return filter === null || filter.ledgerSeq < ledgerSeq || filter.mayHold(chain, address)
    },
    async stop() {
      await Promise.all([loop.stop(), rows.stop()])
      await filters.stop()
    },
  }
}

/** Adds up all rows of imports again and again, and compares the sums with the log. */
function followLedgerRows(
  { database, logger, nowMs, doubt }: LedgerWatchDeps,
  check: ReturnType<typeof createLedgerCheck>,
  onDifference: (difference: string) => void,
): FollowedRows {
  return followRows({
    ...{ kind: 'ledger', logger, onDifference, ...(nowMs === undefined ? {} : { nowMs }) },
    ...(doubt === undefined ? {} : { doubt }),
    countRows: async () => Number((await check()).rowSums[0]),
    // A log that states no segment states no row.
    compare: async (afterSlice) =>
      (await check()).ledgerSeq === 0 ? null : await compareRows(database, check, afterSlice),
  })
}

/** Reads something of a chain once for each state. */
function keepByState<Result>(
  read: (of: { readonly chain: string; readonly ledgerSeq: number }) => Promise<Result>,
) {
  let kept = new Map<string, Promise<Result>>()
  return {
    forget(): void {
      kept = new Map()
    },
    of(this: void, chain: string, ledgerSeq: number): Promise<Result> {
      const key = `${ledgerSeq} ${chain}`
      let known = kept.get(key)
      if (known === undefined) {
        known = read({ chain, ledgerSeq })
        kept.set(key, known)
        known.catch(() => kept.delete(key))
      }
      return known
    },
  }
}

/** Logs one error for each row that stays without an event. */
function createUnstatedNotice(logger: Logger, nowMs: () => number): (unstated: string | null) => void {
  let row: string | null = null
  let sinceMs = 0
  let isTold = false
  return (unstated) => {
    if (unstated !== row) [row, sinceMs, isTold] = [unstated, nowMs(), false]
    if (row === null || isTold || nowMs() - sinceMs < UNSTATED_AFTER_MS) return
    logger.error({}, `${row} It is not used.`)
    isTold = true
  }
}

/** Reads the filter of the newest state in the background, one reading at a time: of an earlier state only what came since. */
function keepFilter({ database, logger, maxFilteredAddresses }: LedgerWatchDeps) {
  const stopping = new AbortController()
  let filter: AddressFilter | null = null
  let wanted = { seq: 0, replacements: 0 }
  let reading: Promise<void> | null = null
  let isTooLarge = false
  let notBeforeMs = 0

  async function read(): Promise<void> {
    while (!stopping.signal.aborted && !isTooLarge && filter?.ledgerSeq !== wanted.seq) {
      const of = wanted
      const found = await readAddressFilter(database, {
        ledgerSeq: of.seq,
        before: filter,
        ...(maxFilteredAddresses === undefined ? {} : { maxAddresses: maxFilteredAddresses }),
        afterPage: async (pageMs) => {
          await sleep(pageMs * REST_PER_WORK, stopping.signal)
          return !stopping.signal.aborted
        },
      })
      if (found === 'too many') [isTooLarge, filter] = [true, null]
      else if (of.replacements === wanted.replacements) filter = found ?? filter
    }
  }

  return {
    current: () => filter,
    renew(seq: number, replacements: number): void {
      if (wanted.replacements !== replacements) filter = null
      wanted = { seq, replacements }
      if (filter?.ledgerSeq === seq) return
      if (seq === 0 || isTooLarge) return
      if (reading !== null || performance.now() < notBeforeMs) return
      reading = read()
        .catch((error: unknown) => {
          notBeforeMs = performance.now() + FILTER_RETRY_MS
          logger.debug(
            { err: error },
            'The addresses of the ledger could not be read; every address is queried',
          )
        })
        .finally(() => (reading = null))
    },
    async stop() {
      stopping.abort()
      await reading
    },
  }
}
