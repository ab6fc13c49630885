/**
 * Reads the history of one address from the first provider that gives it, or from two that must agree, keeps it as a file and imports that. An
 * interrupted reading leaves nothing in the ledger: the next one begins again where the ledger ends.
 */
import { differingLines, ProviderError, type Histories, type ToldHistory } from '../index.js'
import { sleep } from '@cupel/kit/concurrency'
import type { ChainCode } from '@cupel/domain'
import {
  addressHistories,
  currentLedger,
  DISAGREEMENT,
  isJoint,
  jointName,
  UNCONFIRMED,
  type ReadHistory,
} from '@cupel/ledger'
import {
  HistoryError,
  importReading,
  linesOf,
  readPages,
  withLinesBefore,
  type CallBudget,
  type Place,
  type Progress,
  type Reading,
  type ReadingDeps,
} from './history-reading.js'

export interface ReadHistoryDeps extends ReadingDeps {
  readonly histories: Histories
  /** A younger history is not read again. */
  readonly maxAgeMs: number
}

/** Gaps of a kind of transfers leave the other kinds whole. */
const OF_KINDS: ReadonlySet<string> = new Set(['no_traces', 'no_tokens'])

interface ReadOptions {
  readonly budget: CallBudget
  readonly onProgress: (progress: Progress) => void
}

/** Resolves when the ledger has the history. Throws a HistoryError. */
export async function readHistory(place: Place, options: ReadOptions, deps: ReadHistoryDeps): Promise<void> {
  await alone(place, deps, async () => {
    const { ledgerSeq } = await currentLedger(deps.database)
    const known = await addressHistories(deps.database, {
      ...{ chain: place.chain, ledgerSeq, addresses: [place.address] },
    })
    const mustAgree = deps.histories.mustAgree(place.chain)
    if (known.some((one) => isFresh(one, deps) && (!mustAgree || isJoint(one.provider)))) return
    const read = mustAgree ? readAgreed : readFirst
    await read(place, { ...options, known }, deps)
  })
}

interface ReadFrom extends ReadOptions {
  readonly known: readonly ReadHistory[]
}

async function readFirst(
  place: Place,
  { known, ...options }: ReadFrom,
  deps: ReadHistoryDeps,
): Promise<void> {
  let failure: HistoryError | null = null
  for (const provider of deps.histories.of(place.chain)) {
    const { source } = provider
    const own = known.find((one) => one.provider === source.provider)
    const fromHeight = own === undefined ? null : wholeUpTo(own, source.kinds)
    try {
      const reading = await readPages(provider, place, { ...options, fromHeight }, deps)
      await importReading(reading, { place }, deps)
      if (isWhole(reading.end)) return
      // What it gave is evidence all the same; another provider may give the whole.
      failure = new HistoryError(reading.end.incomplete[0]!, source.provider)
    } catch (error) {
      failure = otherwise(error, source.provider)
    }
  }
  throw failure ?? new HistoryError('no_provider', '')
}

/** Two providers must state the same up to the lower one of their heads. What any of them states counts, agreed or not. */
async function readAgreed(
  place: Place,
  { known, ...options }: ReadFrom,
  deps: ReadHistoryDeps,
): Promise<void> {
  const base = known.find((one) => isJoint(one.provider) && isWhole(one))
  const fromHeight = base === undefined ? null : wholeUpTo(base, base.kinds)
  let first: Reading | null = null
  let failure: HistoryError | null = null
  try {
    for (const provider of deps.histories.of(place.chain)) {
      try {
        const reading = await readPages(provider, place, { ...options, fromHeight }, deps)
        if (!isWhole(reading.end)) {
          await importReading(reading, { place }, deps)
          failure = new HistoryError(reading.end.incomplete[0]!, provider.source.provider)
        } else if (first === null) first = reading
        else return await importAgreed(place, { first, second: reading }, deps)
      } catch (error) {
        failure = otherwise(error, provider.source.provider)
      }
    }
    throw failure ?? new HistoryError(UNCONFIRMED, first?.source.provider ?? '')
  } catch (error) {
    if (first !== null && !deps.signal.aborted) await importReading(unconfirmed(first), { place }, deps)
    throw error
  }
}

const unconfirmed = (reading: Reading): Reading => ({
  ...reading,
  end: { ...reading.end, incomplete: [...reading.end.incomplete, UNCONFIRMED] },
})

/** The second file is what both say: of movements that contradict one another the ledger then has both. */
async function importAgreed(
  place: Place,
  { first, second }: { readonly first: Reading; readonly second: Reading },
  deps: ReadHistoryDeps,
): Promise<void> {
  const [told, confirmed] = await Promise.all([toldBy(first), toldBy(second)])
  const differing = differingLines(place.chain as ChainCode, told, confirmed)
  const provider = jointName([first.source.provider, second.source.provider])
  const differs = differing.first.length + differing.second.length > 0
  const [one, other] = [first.end, second.end]
  const end = {
    head: one.head.height < other.head.height ? one.head : other.head,
    kinds: one.kinds.filter((kind) => other.kinds.includes(kind)),
    incomplete: [...new Set([...one.incomplete, ...other.incomplete, ...(differs ? [DISAGREEMENT] : [])])],
  }
  const joint = await withLinesBefore({ ...second, end }, differs ? differing.first : [])
  await importReading(unconfirmed(first), { place }, deps)
  await importReading(joint, { place, provider }, deps)
  if (differs) throw new HistoryError(DISAGREEMENT, provider)
}

const toldBy = async (reading: Reading): Promise<ToldHistory> => ({
  kinds: reading.end.kinds,
  height: reading.end.head.height,
  lines: await linesOf(reading),
})

export const isWhole = ({ incomplete }: Pick<ReadHistory, 'incomplete'>): boolean =>
  incomplete.every((gap) => OF_KINDS.has(gap))

const isFresh = (history: ReadHistory, { nowMs, maxAgeMs }: ReadHistoryDeps): boolean =>
  isWhole(history) && history.readAtS * 1_000 > nowMs() - maxAgeMs

/** A third provider does not settle what two of them dispute. */
const isLast: ReadonlySet<string> = new Set(['call_budget', 'stopped', DISAGREEMENT])

/** After most failures another provider is asked. Throws those after which nobody may be asked. */
function otherwise(error: unknown, provider: string): HistoryError {
  const failure = failureOf(error, provider)
  if (isLast.has(failure.reason)) throw failure
  return failure
}

function failureOf(error: unknown, provider: string): HistoryError {
  if (error instanceof HistoryError) return error
  if (error instanceof ProviderError) return new HistoryError(error.code, provider, error.message)
  throw error
}

/** Pause before the lock of a reading elsewhere is tried again. */
const ELSEWHERE_MS = 250

/** Scorers take turns: the second one finds what the first one imported. */
async function alone<T>(
  { chain, address }: Place,
  { database, signal }: ReadHistoryDeps,
  work: () => Promise<T>,
): Promise<T> {
  const name = `cupel.history/${chain} ${address}`
  return await database.withConnection(async (connection) => {
    for (;;) {
      const [row] = await connection.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
        [name],
      )
      if (row!.taken) break
      await sleep(ELSEWHERE_MS, signal)
      if (signal.aborted) throw new HistoryError('stopped', '')
    }
    try {
      return await work()
    } finally {
      await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name])
    }
  })
}

/** The height up to which all of these kinds are whole; null if some are not. */
function wholeUpTo(history: ReadHistory, kinds: readonly string[]): number | null {
  if (!isWhole(history)) return null
  const heights = kinds.map((kind) =>
    Math.max(-1, ...history.ranges.filter((range) => range.kind === kind).map(({ toHeight }) => toHeight)),
  )
  const least = Math.min(...heights)
  return least < 0 || heights.length === 0 ? null : least
}
