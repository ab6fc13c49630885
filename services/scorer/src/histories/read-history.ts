/**
 * Reads the history of one address from the first provider that gives it, keeps it as a file and imports that. An interrupted reading leaves
 * nothing in the ledger: the next one begins again where the ledger ends.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ProviderError, type Histories, type HistoryEnd, type HistoryProvider } from '@cupel/chain-data'
import { sleep } from '@cupel/concurrency'
import { addressHistories, currentLedger, importLedger, type ReadHistory } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'

export interface Place {
  readonly chain: string
  /** Canonical. */
  readonly address: string
}

export interface Progress {
  readonly provider: string
  readonly pages: number
  readonly pagesExpected: number | null
}

export interface ReadHistoryDeps {
  readonly histories: Histories
  /** Without a limit per statement. */
  readonly database: Database
  readonly folder: string
  /** A younger history is not read again. */
  readonly maxAgeMs: number
  /** Waits for the turn of a call to the provider; throws a HistoryError if there must be none. */
  readonly beforeCall: (provider: string, budget: CallBudget) => Promise<void>
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  readonly signal: AbortSignal
  readonly importedBy: string
}

/** Calls that are left for one screened address. */
export interface CallBudget {
  left: number
}

/** Why no history was read: call_budget, day_budget, stopped, refused_import, or the code of the provider's error. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
  readonly reason: string
  readonly provider: string

  constructor(reason: string, provider: string, detail = '') {
    super(detail === '' ? reason : `${reason}: ${detail}`)
    this.reason = reason
    this.provider = provider
  }
}

/** Gaps of a kind of transfers leave the other kinds whole. */
const OF_KINDS: ReadonlySet<string> = new Set(['no_traces', 'no_tokens'])

/** Returns the state of the ledger that has the history. Throws a HistoryError. */
export async function readHistory(
  place: Place,
  options: { readonly budget: CallBudget; readonly onProgress: (progress: Progress) => void },
  deps: ReadHistoryDeps,
): Promise<number> {
  return await alone(place, deps, async () => {
    const { ledgerSeq } = await currentLedger(deps.database)
    const known = await addressHistories(deps.database, {
      ...{ chain: place.chain, ledgerSeq, addresses: [place.address] },
    })
    if (known.some((one) => isFresh(one, deps))) return ledgerSeq
    let failure: HistoryError | null = null
    for (const provider of deps.histories.of(place.chain)) {
      try {
        const read = await readFrom(provider, place, { ...options, known }, deps)
        if (read.end.incomplete.every((gap) => OF_KINDS.has(gap))) return read.ledgerSeq
        // What it gave is evidence all the same; another provider may give the whole.
        failure = new HistoryError(read.end.incomplete[0]!, provider.source.provider)
      } catch (error) {
        failure = failureOf(error, provider.source.provider)
        if (failure.reason === 'call_budget' || failure.reason === 'stopped') throw failure
      }
    }
    throw failure ?? new HistoryError('no_provider', '')
  })
}

export const isWhole = ({ incomplete }: ReadHistory): boolean => incomplete.every((gap) => OF_KINDS.has(gap))

const isFresh = (history: ReadHistory, { nowMs, maxAgeMs }: ReadHistoryDeps): boolean =>
  isWhole(history) && history.readAtS * 1_000 > nowMs() - maxAgeMs

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

interface ReadFrom {
  readonly budget: CallBudget
  readonly onProgress: (progress: Progress) => void
  readonly known: readonly ReadHistory[]
}

async function readFrom(
  { source, http }: HistoryProvider,
  place: Place,
  { budget, onProgress, known }: ReadFrom,
  deps: ReadHistoryDeps,
): Promise<{ readonly ledgerSeq: number; readonly end: HistoryEnd }> {
  const { provider } = source
  const own = known.find((one) => one.provider === provider)
  const fromHeight = own === undefined ? null : wholeUpTo(own, source.kinds)
  const file = await beginFile(deps.folder, place, provider)
  try {
    const pages = source.read(place.address, {
      fromHeight,
      http: http(() => deps.beforeCall(provider, budget)),
    })
    for (;;) {
      const step = await pages.next()
      if (deps.signal.aborted) throw new HistoryError('stopped', provider)
      if (step.done === true) {
        const { value: end } = step
        if (end.head.height < (fromHeight ?? 0)) throw new HistoryError('stale', provider)
        const path = await file.keep(end.head.height)
        return { ledgerSeq: await importHistory({ path, source, place, fromHeight, end }, deps), end }
      }
      await file.write(step.value.lines)
      onProgress({ provider, pages: step.value.pages, pagesExpected: step.value.pagesExpected })
    }
  } catch (error) {
    await file.drop()
    throw error
  }
}

/** The height up to which all kinds that the provider can give are whole; null if some are not. */
function wholeUpTo(history: ReadHistory, kinds: readonly string[]): number | null {
  if (!isWhole(history)) return null
  const heights = kinds.map((kind) =>
    Math.max(-1, ...history.ranges.filter((range) => range.kind === kind).map(({ toHeight }) => toHeight)),
  )
  const least = Math.min(...heights)
  return least < 0 || heights.length === 0 ? null : least
}

async function beginFile(folder: string, { chain, address }: Place, provider: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = [chain, address, provider].join('-').replaceAll(/[^A-Za-z0-9.-]/g, '_')
  const part = join(folder, `${name}.part`)
  const handle = await open(part, 'w', 0o600)
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close()
    isOpen = false
  }
  return {
    async write(lines: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
      await handle.writeFile(lines.map((line) => `${jsonOf(line)}\n`).join(''))
    },
    async keep(height: number): Promise<string> {
      await handle.sync()
      await close()
      const path = join(folder, `${name}-${height}.jsonl`)
      await rename(part, path)
      return path
    },
    async drop(): Promise<void> {
      await close()
      await rm(part, { force: true })
    },
  }
}

const jsonOf = (line: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(line, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

async function importHistory(
  {
    path,
    source,
    place,
    fromHeight,
    end,
  }: {
    readonly path: string
    readonly source: HistoryProvider['source']
    readonly place: Place
    readonly fromHeight: number | null
    readonly end: HistoryEnd
  },
  { database, importedBy, nowMs }: ReadHistoryDeps,
): Promise<number> {
  const { head, kinds, incomplete } = end
  const range =
    kinds.length === 0
      ? {}
      : {
          // Where there is no newer block the range is that block again: it was all there was at that time.
          completeFrom: fromHeight === null ? 0 : Math.min(fromHeight + 1, head.height),
          ...{ completeTo: head.height, covers: kinds },
        }
  const result = await importLedger(
    {
      ...{ file: path, format: source.format, chain: place.chain, importedBy, ...range },
      reason: `History of one address from ${source.provider}`,
      history: {
        ...{ address: place.address, provider: source.provider, height: head.height },
        ...{ hash: head.hash ?? '', atS: head.atS, incomplete },
      },
    },
    { database, now: () => new Date(nowMs()) },
  )
  if (result.status === 'refused') throw new HistoryError('refused_import', source.provider, result.message)
  return result.ledgerSeq
}
