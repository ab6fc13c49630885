/**
 * Histories on demand: where a ledger does not know all transfers of a screened address, the scorer reads them from a provider beside the screens, and
 * then those of the addresses that its value went through. A report says how far that is; the next one has what was read.
 */
import type { ExposureRecord, HistoryReading } from '@cupel/contracts'
import { addressesOfOwner, addressHistories, isJoint, type ReadHistory } from '@cupel/ledger'
import type { Check } from '@cupel/kit/service'
import { createConfirmations, type Confirmations } from './confirmations.js'
import { createHistoryJobs, type Failure, type HistoryJobs, type HistoryJobsDeps } from './history-jobs.js'
import type { OwnedPlace, Place, Progress } from './history-reading.js'
import { isWhole } from './read-history.js'

export interface Screened extends OwnedPlace {
  /** Nobody may be asked for it: what others had read is used. */
  readonly neverAsks: boolean
  /** The address on its detected chain: what is read for its candidates is read for it. */
  readonly root: OwnedPlace
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
  /** What providers say of the transactions of transfers. */
  readonly confirmations: Confirmations
  /** Resolves when nothing is under way that was begun for the address. */
  settled(place: OwnedPlace): Promise<unknown>
  checks(): readonly Check[]
  stop(): Promise<void>
}

/** Reasons of a record that what providers say of the address can remove. */
const OF_HISTORY: ReadonlySet<string> = new Set([
  ...['range_gap', 'no_traces', 'no_tokens', 'range_in_future', 'unreadable_rows'],
  ...['history_truncated', 'history_contradicting', 'history_reorganised', 'history_unfinished'],
  ...['history_unconfirmed', 'history_disagreement'],
])

export function createHistoryStage(deps: HistoryJobsDeps): HistoryStage {
  const jobs = createHistoryJobs(deps)
  const confirmations = createConfirmations({ ...deps, turnsOf: (place) => jobs.turnsOf(place) })
  return {
    confirmations,
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
      const trust = createTrust(known, deps.histories.mustAgree(chain))
      const isRecent = (one: ReadHistory): boolean =>
        trust.isSettled(one) && one.readAtS * 1_000 > deps.now().getTime() - deps.maxAgeMs
      const own = known.filter((one) => addresses.includes(one.address))
      const unread = addresses.filter((one) => !own.some((of) => of.address === one && isRecent(of)))
      const lacks = lacksOwn(exposure, own) || addresses.some(trust.isUnconfirmed)
      if (screened.neverAsks) {
        const isWholeHere = !lacks && exposure?.incomplete.includes('intermediary_unread') !== true
        return isWholeHere ? fresh : failed(chain, { reason: 'not_allowed', provider: '' })
      }
      if (lacks) return unread.length === 0 ? fresh : ownReading(screened, unread, jobs)
      // What is whole is used; what is new since is read for the next screen.
      if (own.length > 0) for (const one of unread) jobs.begin({ chain, address: one }, screened.root)
      return exposure?.incomplete.includes('intermediary_unread') === true ||
        followed.some(trust.isUnconfirmed)
        ? counterpartyReading(screened, known, { jobs, isRecent, trust, most: deps.limits.counterparties })
        : fresh
    },
    settled: (place) => Promise.all([jobs.settled(place), confirmations.settled(place)]),
    checks: () => [checkOf(jobs.failing())],
    stop: () => jobs.stop(),
  }
}

/** What the state of the ledger says of histories if two providers must agree: one that was read before that was asked for has only one of them. */
function createTrust(known: readonly ReadHistory[], mustAgree: boolean): Trust {
  const isSettled = ({ provider }: ReadHistory): boolean => !mustAgree || isJoint(provider)
  return {
    isSettled,
    isUnconfirmed(address) {
      const told = known.filter((one) => one.address === address)
      return told.length > 0 && !told.some(isSettled)
    },
  }
}

interface Trust {
  /** Whether as many providers state it as must. */
  readonly isSettled: (one: ReadHistory) => boolean
  /** Whether its histories have fewer. */
  readonly isUnconfirmed: (address: string) => boolean
}

/** Of the chains of one address: what still goes on, then what failed; it names every chain whose histories are not read. Null without a reading. */
export function worstReading(readings: readonly (HistoryReading | null)[]): HistoryReading | null {
  const asked = readings.filter((one) => one !== null)
  const worst = ['reading', 'failed', 'fresh']
    .map((status) => asked.find((one) => one.status === status))
    .find((one) => one !== undefined)
  return worst === undefined ? null : { ...worst, chains: asked.flatMap(({ chains }) => chains) }
}

function lacksOwn(exposure: ExposureRecord | null, own: readonly ReadHistory[]): boolean {
  const isDropped = exposure === null || exposure.status === 'late' || exposure.status === 'failed'
  return isDropped ? !own.some(isWhole) : exposure.incomplete.some((reason) => OF_HISTORY.has(reason))
}

/** One key has several addresses on some chains, and its owner moved what any of them moved. */
function ownReading(screened: Screened, unread: readonly string[], jobs: HistoryJobs): HistoryReading {
  const { chain } = screened
  const places = unread.map((address): Place => ({ chain, address }))
  const begun = places.map((place) => jobs.begin(place, screened.root))
  const progress = begun.find((one) => one !== null)
  return progress === undefined || progress === null
    ? failed(chain, jobs.failureOf({ ...places[0]!, accountId: screened.accountId }) ?? busy)
    : readingNow(chain, progress, 0)
}

interface CounterpartyOptions {
  readonly jobs: HistoryJobs
  readonly isRecent: (one: ReadHistory) => boolean
  readonly trust: Trust
  /** Most counterparties whose histories are read. */
  readonly most: number
}

/** A history that is not whole, and was read just now, is all there is to read. */
function counterpartyReading(
  screened: Screened,
  known: readonly ReadHistory[],
  { jobs, isRecent, trust, most }: CounterpartyOptions,
): HistoryReading {
  const { accountId, chain, followed, generatedAt, maxAgeHours } = screened
  const oldestMs = Date.parse(generatedAt) - maxAgeHours * 3_600_000
  const isUsable = (one: ReadHistory): boolean =>
    isRecent(one) || (trust.isSettled(one) && isWhole(one) && one.atS * 1_000 > oldestMs)
  const usable = new Set(known.filter(isUsable).map(({ address }) => address))
  const missing = followed
    .slice(0, most)
    .filter((address) => !usable.has(address))
    .map((address): Place => ({ chain, address }))
  const begun = missing.flatMap((place) => jobs.begin(place, screened.root) ?? [])
  if (begun[0] !== undefined) return readingNow(chain, begun[0], begun.length)
  if (missing[0] !== undefined) return failed(chain, jobs.failureOf({ ...missing[0], accountId }) ?? busy)
  return followed.length > most ? failed(chain, { reason: 'counterparty_limit', provider: '' }) : fresh
}

/** No decision depends on a provider of histories: a start does not wait for it. */
function checkOf(failing: ReadonlyMap<string, string>): Check {
  const detail = [...failing].map(([provider, reason]) => `${provider || 'reading'}: ${reason}`).join(', ')
  return failing.size === 0
    ? { name: 'histories', ok: true }
    : { name: 'histories', ok: false, aside: true, detail }
}

const busy: Failure = { reason: 'busy', provider: '' }
const nothing = { reason: '', provider: '', pages: 0, pagesExpected: null, waiting: 0, chains: [] }
const fresh: HistoryReading = { ...nothing, status: 'fresh' }
const failed = (chain: string, { reason, provider }: Failure): HistoryReading => ({
  ...{ ...nothing, status: 'failed', reason, provider, chains: [chain] },
})
const readingNow = (chain: string, progress: Progress, waiting: number): HistoryReading => ({
  ...{ ...nothing, ...progress, status: 'reading', waiting, chains: [chain] },
})
