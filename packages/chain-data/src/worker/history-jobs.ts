/** Readings of histories that are under way or wait for their turn, what they may cost, and what became of them. */
import type { Histories } from '../index.js'
import { createSlots, sleep, withinMs } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import { currentLedger, takeHistoryCall, type HistoryCallLimits } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import {
  HistoryError,
  type CallBudget,
  type Place,
  type Progress,
  type OwnedPlace,
} from './history-reading.js'
import { readHistory } from './read-history.js'
import { startProgressTelling } from './tell-progress.js'

/** Histories that are read at once. */
const CONCURRENT_READINGS = 2
/**
 * Readings that wait; further ones are not taken, and the next screen asks again. An account has another one as long as it has fewer than there
 * is room for.
 */
const MAX_WAITING = 2_000
/** A reading that failed is tried again after this, then after twice as long, and so on. */
const FIRST_RETRY_MS = 15_000
const LONGEST_RETRY_MS = 3_600_000
const MAX_REMEMBERED = 10_000
/** Interval at which an imported history is looked for in the state that screens use, and the longest wait for it. */
const VISIBLE_LOOK_MS = 50
const VISIBLE_WITHIN_MS = 30_000
const STOP_MS = 2_000
/** The budget of one address or account says nothing of a provider. */
const OF_CALLER: ReadonlySet<string> = new Set(['call_budget', 'account_day_budget'])

export interface HistoryJobsDeps {
  readonly histories: Histories
  readonly database: Database
  readonly folder: string
  readonly maxAgeMs: number
  readonly limits: HistoryCallLimits & {
    readonly callsPerScreen: number
    readonly counterparties: number
  }
  /** The name under which the calls to a provider count. */
  readonly countedAs: (provider: string) => string
  /** The state of the ledger that screens use. */
  readonly ledgerSeq: () => number
  readonly now: () => Date
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface Failure {
  readonly reason: string
  readonly provider: string
}

export interface HistoryJobs {
  /** Begins a reading for a screened address unless it is under way; null if it must not begin now. */
  begin(place: Place, root: OwnedPlace): Progress | null
  failureOf(place: OwnedPlace): Failure | undefined
  /** The newest failure of each provider that did not succeed since. */
  failing(): ReadonlyMap<string, string>
  /** Resolves when nothing is under way that was begun for the address. */
  settled(root: OwnedPlace): Promise<unknown>
  /** The turn of each call for an account; a call takes one of those that are left for the address. */
  turnsOf(root: OwnedPlace): (provider: string) => Promise<void>
  stop(): Promise<void>
}

/** Of one account: what another one waits for, or failed at, is nothing to it. */
interface Job {
  readonly place: OwnedPlace
  /** Screened addresses for which it was begun. */
  readonly roots: Map<string, OwnedPlace>
  readonly state: { progress: Progress }
  readonly ended: Promise<void>
}

export function createHistoryJobs(deps: HistoryJobsDeps): HistoryJobs {
  const { now, metrics } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  const reading = { ...deps, nowMs: () => now().getTime(), signal, importedBy: 'scorer' }
  const inTurn = createReadings()
  const jobs = new Map<string, Job>()
  const failures = createFailures(deps)
  const budgetOf = createBudgets(deps)
  const beforeCall = createTurns(deps, signal)
  const outcomes = metrics.counter('history_readings_total', 'Histories that were read, by outcome', [
    'outcome',
  ])
  const waiting = metrics.gauge('history_readings_waiting', 'Histories that are read or wait for it')
  const telling = startProgressTelling({ ...deps, readingsOf: (root) => readingsOf(jobs, root) })

  async function run(place: OwnedPlace, state: Job['state'], budget: CallBudget): Promise<void> {
    try {
      await readHistory(
        place,
        { budget, onProgress: (progress) => void (state.progress = progress) },
        { ...reading, beforeCall: beforeCall(place.accountId) },
      )
      failures.forget(ownNameOf(place), state.progress.provider)
      outcomes.inc({ outcome: 'read' })
    } catch (error) {
      if (signal.aborted) return
      const { reason } = failures.note(ownNameOf(place), error, state.progress.provider)
      outcomes.inc({ outcome: reason })
    }
    await untilVisible(deps, signal)
  }

  return {
    begin(of, root) {
      const place: OwnedPlace = { ...of, accountId: root.accountId }
      const [name, rootName] = [ownNameOf(place), ownNameOf(root)]
      const running = jobs.get(name)
      if (running !== undefined) {
        running.roots.set(rootName, root)
        telling.begun(root)
        return running.state.progress
      }
      if (signal.aborted || hasFullPart(jobs, root.accountId) || failures.isResting(name)) return null
      const state: Job['state'] = { progress: { provider: '', pages: 0, pagesExpected: null } }
      const work = (): Promise<void> => run(place, state, budgetOf(rootName))
      const roots = new Map([[rootName, root]])
      const ended = inTurn(place, work, { isUrgent: name === rootName }).finally(() => {
        for (const one of roots.values()) telling.ended(one, failures.of(name) ?? null)
        jobs.delete(name)
        waiting.set(jobs.size)
      })
      jobs.set(name, { place, roots, state, ended })
      telling.begun(root)
      waiting.set(jobs.size)
      return state.progress
    },
    failureOf: (place) => failures.of(ownNameOf(place)),
    failing: () => failures.failing,
    turnsOf: (root) => (provider) => beforeCall(root.accountId)(provider, budgetOf(ownNameOf(root))),
    settled: (root) => Promise.all(ofRoot(jobs, root).map(({ ended }) => ended)),
    async stop() {
      // What ends by the stop is not read.
      await withinMs(STOP_MS, telling.stop())
      stopping.abort()
      await allEnded(jobs)
      await deps.histories.close()
    },
  }
}

const hasFullPart = (jobs: ReadonlyMap<string, Job>, accountId: string): boolean =>
  [...jobs.values()].filter((job) => job.place.accountId === accountId).length >= MAX_WAITING - jobs.size

/** Readings take turns by account. Whoever wants a place that is read then waits for that reading, and takes no slot meanwhile. */
function createReadings() {
  const inTurn = createSlots(CONCURRENT_READINGS)
  const reading = new Map<string, Promise<void>>()
  return async (
    place: OwnedPlace,
    work: () => Promise<void>,
    { isUrgent }: { readonly isUrgent: boolean },
  ): Promise<void> => {
    const name = nameOf(place)
    let elsewhere: Promise<void> | undefined
    const once = async (): Promise<void> => {
      elsewhere = reading.get(name)
      if (elsewhere !== undefined) return
      const read = work()
      reading.set(name, read)
      await read.finally(() => reading.delete(name))
    }
    await inTurn(once, { owner: place.accountId, isUrgent })
    await elsewhere
  }
}

/** The next screen sees what was imported once the log states it: also a part of a history that could not be read whole. */
async function untilVisible({ database, ledgerSeq }: HistoryJobsDeps, signal: AbortSignal): Promise<void> {
  const imported = await currentLedger(database).catch(() => ({ ledgerSeq: 0 }))
  const untilMs = performance.now() + VISIBLE_WITHIN_MS
  while (ledgerSeq() < imported.ledgerSeq && performance.now() < untilMs && !signal.aborted)
    await sleep(VISIBLE_LOOK_MS, signal)
}

const ofRoot = (jobs: ReadonlyMap<string, Job>, root: OwnedPlace): Job[] =>
  [...jobs.values()].filter(({ roots }) => roots.has(ownNameOf(root)))

async function allEnded(jobs: ReadonlyMap<string, Job>): Promise<void> {
  await withinMs(STOP_MS, Promise.all([...jobs.values()].map(({ ended }) => ended)))
}

/** Those of an address and of its counterparties; its own first, because its pages are shown. */
function readingsOf(jobs: ReadonlyMap<string, Job>, root: OwnedPlace): readonly Progress[] {
  const name = ownNameOf(root)
  const rank = ({ place }: Job): number => (ownNameOf(place) === name ? 0 : 1)
  return ofRoot(jobs, root)
    .sort((a, b) => rank(a) - rank(b))
    .map(({ state }) => state.progress)
}

/** What failed, and until when it is not tried again. */
function createFailures({ now, logger }: HistoryJobsDeps) {
  const known = new Map<string, Failure & { readonly times: number; readonly untilMs: number }>()
  const failing = new Map<string, string>()
  const nowMs = (): number => now().getTime()
  return {
    failing,
    of: (name: string): Failure | undefined => known.get(name),
    isResting: (name: string): boolean => (known.get(name)?.untilMs ?? 0) > nowMs(),
    forget(name: string, provider: string): void {
      known.delete(name)
      failing.delete(provider)
    },
    note(name: string, error: unknown, asked: string): Failure {
      const { reason, provider } =
        error instanceof HistoryError ? error : { reason: 'failed', provider: asked }
      const times = (known.get(name)?.times ?? 0) + 1
      const restMs = Math.min(FIRST_RETRY_MS * 2 ** (times - 1), LONGEST_RETRY_MS)
      remember(known, name, { reason, provider, times, untilMs: nowMs() + restMs })
      if (!OF_CALLER.has(reason)) failing.set(provider, reason)
      logger.warn({ err: error, provider }, 'A history could not be read')
      return { reason, provider }
    },
  }
}

/** The calls that are left for a screened address, until its history counts as old. */
function createBudgets({ now, limits, maxAgeMs }: HistoryJobsDeps): (root: string) => CallBudget {
  const budgets = new Map<string, CallBudget & { readonly untilMs: number }>()
  return (root) => {
    const nowMs = now().getTime()
    const known = budgets.get(root)
    if (known !== undefined && known.untilMs > nowMs) return known
    const budget = { left: limits.callsPerScreen, untilMs: nowMs + maxAgeMs }
    remember(budgets, root, budget)
    return budget
  }
}

/** Waits for the turn of a call; throws a HistoryError if there must be none. */
function createTurns({ database, limits, countedAs, metrics }: HistoryJobsDeps, signal: AbortSignal) {
  const calls = metrics.counter('history_calls_total', 'Calls to providers of histories', ['provider'])
  return (accountId: string) =>
    async (provider: string, budget: CallBudget): Promise<void> => {
      if (budget.left <= 0) throw new HistoryError('call_budget', provider)
      budget.left -= 1
      const call = await takeHistoryCall(database, { provider: countedAs(provider), accountId }, limits)
      if ('refused' in call) throw new HistoryError(call.refused, provider)
      await sleep(call.waitMs, signal)
      if (signal.aborted) throw new HistoryError('stopped', provider)
      calls.inc({ provider })
    }
}

const nameOf = ({ chain, address }: Place): string => `${chain} ${address}`
const ownNameOf = (place: OwnedPlace): string => `${place.accountId} ${nameOf(place)}`

function remember<Value>(known: Map<string, Value>, key: string, value: Value): void {
  const [oldest] = known.keys()
  if (oldest !== undefined && known.size >= MAX_REMEMBERED) known.delete(oldest)
  known.set(key, value)
}
