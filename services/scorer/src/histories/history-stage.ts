/**
 * Histories on demand: where a ledger does not know all transfers of a screened address, the scorer reads them from a provider beside the screens, and
 * then those of the addresses that its value went through. A report says how far that is; the next one has what was read.
 */
import type { ExposureRecord, HistoryReading } from '@cupel/contracts'
import { addressesOfOwner, addressHistories, type ReadHistory } from '@cupel/ledger'
import type { Check } from '@cupel/service-kit'
import {
  createHistoryJobs,
  type Failure,
  type HistoryJobs,
  type HistoryJobsDeps,
  type OwnedPlace,
} from './history-jobs.js'
import { isWhole, type Place, type Progress } from './read-history.js'

export interface Screened extends OwnedPlace {
  /** UTC, RFC 3339: the time of the report. */
  readonly generatedAt: string
  readonly maxAgeHours: number
  /** Null if there is no ledger. */
  readonly exposure: ExposureRecord | null
  /** The addresses that the exposure was followed through, those of most value first. */
  readonly followed: readonly string[]
}

export interface HistoryStage {
  /** How far the histories of a screened address are; begins to read what is missing. Null if no provider gives histories of its chain. */
  readingOf(screened: Screened): Promise<HistoryReading | null>
  /** Resolves when nothing is under way that was begun for the address. */
  settled(place: OwnedPlace): Promise<unknown>
  checks(): readonly Check[]
  stop(): Promise<void>
}

/** Reasons of a record that what providers say of the address can remove. */
const OF_HISTORY: ReadonlySet<string> = new Set([
  ...['range_gap', 'no_traces', 'no_tokens', 'range_in_future', 'unreadable_rows'],
  ...['history_truncated', 'history_contradicting', 'history_reorganised', 'history_unfinished'],
])

export function createHistoryStage(deps: HistoryJobsDeps): HistoryStage {
  const jobs = createHistoryJobs(deps)
  const isRecent = ({ readAtS }: ReadHistory): boolean =>
    readAtS * 1_000 > deps.now().getTime() - deps.maxAgeMs
  return {
    async readingOf(screened) {
      const { chain, address, exposure, followed } = screened
      if (deps.histories.of(chain).length === 0) return null
      const ledgerSeq = deps.ledgerSeq()
      // A provider of this chain answers for an owner, with its accounts.
      const addresses =
        chain === 'SOL' ? [address] : await addressesOfOwner(deps.database, { chain, ledgerSeq, address })
      const known = await addressHistories(deps.database, {
        ...{ chain, ledgerSeq, addresses: [...addresses, ...followed] },
      })
      const own = known.filter((one) => addresses.includes(one.address))
      const unread = addresses.filter((one) => !own.some((of) => of.address === one && isRecent(of)))
      if (lacksOwn(exposure, own)) return unread.length === 0 ? fresh : ownReading(screened, unread, jobs)
      // What is whole is used; what is new since is read for the next screen.
      if (own.length > 0) for (const one of unread) jobs.begin({ chain, address: one }, screened)
      return exposure?.incomplete.includes('intermediary_unread') === true
        ? counterpartyReading(screened, known, { jobs, isRecent, most: deps.limits.counterparties })
        : fresh
    },
    settled: (place) => jobs.settled(place),
    checks: () => [checkOf(jobs.failing())],
    stop: () => jobs.stop(),
  }
}

function lacksOwn(exposure: ExposureRecord | null, own: readonly ReadHistory[]): boolean {
  const isDropped = exposure === null || exposure.status === 'late' || exposure.status === 'failed'
  return isDropped ? !own.some(isWhole) : exposure.incomplete.some((reason) => OF_HISTORY.has(reason))
}

/** One key has several addresses on some chains, and its owner moved what any of them moved. */
function ownReading(screened: Screened, unread: readonly string[], jobs: HistoryJobs): HistoryReading {
  const places = unread.map((address): Place => ({ chain: screened.chain, address }))
  const begun = places.map((place) => jobs.begin(place, screened))
  const progress = begun.find((one) => one !== null)
  return progress === undefined || progress === null
    ? failed(jobs.failureOf({ ...places[0]!, accountId: screened.accountId }) ?? busy)
    : readingNow(progress, 0)
}

interface CounterpartyOptions {
  readonly jobs: HistoryJobs
  readonly isRecent: (one: ReadHistory) => boolean
  /** Most counterparties whose histories are read. */
  readonly most: number
}

/** A history that is not whole, and was read just now, is all there is to read. */
function counterpartyReading(
  screened: Screened,
  known: readonly ReadHistory[],
  { jobs, isRecent, most }: CounterpartyOptions,
): HistoryReading {
  const { accountId, chain, followed, generatedAt, maxAgeHours } = screened
  const oldestMs = Date.parse(generatedAt) - maxAgeHours * 3_600_000
  const isUsable = (one: ReadHistory): boolean =>
    isRecent(one) || (isWhole(one) && one.atS * 1_000 > oldestMs)
  const usable = new Set(known.filter(isUsable).map(({ address }) => address))
  const missing = followed
    .slice(0, most)
    .filter((address) => !usable.has(address))
    .map((address): Place => ({ chain, address }))
  const begun = missing.flatMap((place) => jobs.begin(place, screened) ?? [])
  if (begun[0] !== undefined) return readingNow(begun[0], begun.length)
  if (missing[0] !== undefined) return failed(jobs.failureOf({ ...missing[0], accountId }) ?? busy)
  return followed.length > most ? failed({ reason: 'counterparty_limit', provider: '' }) : fresh
}

/** No decision depends on a provider of histories: a start does not wait for it. */
function checkOf(failing: ReadonlyMap<string, string>): Check {
  const detail = [...failing].map(([provider, reason]) => `${provider || 'reading'}: ${reason}`).join(', ')
  return failing.size === 0
    ? { name: 'histories', ok: true }
    : { name: 'histories', ok: false, aside: true, detail }
}

const busy: Failure = { reason: 'busy', provider: '' }
const nothing = { reason: '', provider: '', pages: 0, pagesExpected: null, waiting: 0 }
const fresh: HistoryReading = { ...nothing, status: 'fresh' }
const failed = ({ reason, provider }: Failure): HistoryReading => ({
  ...{ ...nothing, status: 'failed', reason, provider },
})
const readingNow = (progress: Progress, waiting: number): HistoryReading => ({
  ...{ ...nothing, ...progress, status: 'reading', waiting },
})
