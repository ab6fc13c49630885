/** What one provider says of one address: its pages as a file, and the import of that file. */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HistoryEnd, HistoryProvider } from '../index.js'
import { failpoint } from '@cupel/kit/failpoints'
import { importLedger } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'

export interface Place {
  readonly chain: string
  /** Canonical. */
  readonly address: string
}

/** A place that an account screens. */
export interface OwnedPlace extends Place {
  readonly accountId: string
}

export interface Progress {
  readonly provider: string
  readonly pages: number
  readonly pagesExpected: number | null
}

export interface ReadingDeps {
  /** Without a limit per statement. */
  readonly database: Database
  readonly folder: string
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

/** Why no history was read: call_budget, day_budget, stopped, refused_import, unconfirmed, disagreement, too_large, or the code of the provider's error. */
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

/** Bytes of the file of one reading. A comparison holds two of them, and every file is kept. The 100,000 rows of a hundred pages have about 35 MB. */
const MAX_FILE_BYTES = 64 * 1024 ** 2

type Line = Readonly<Record<string, unknown>>

/** Gaps are those of the provider, and those of its agreement with another one. */
export interface ReadEnd extends Omit<HistoryEnd, 'incomplete'> {
  readonly incomplete: readonly string[]
}

export interface Reading {
  readonly source: HistoryProvider['source']
  /** The height up to which it was known before; null for a reading from the beginning. */
  readonly fromHeight: number | null
  readonly end: ReadEnd
  readonly path: string
}

/** Reads all pages after `fromHeight` into a file. An interrupted reading leaves none. Throws HistoryError and ProviderError. */
export async function readPages(
  { source, http }: HistoryProvider,
  place: Place,
  {
    fromHeight,
    budget,
    onProgress,
  }: {
    readonly fromHeight: number | null
    readonly budget: CallBudget
    readonly onProgress: (progress: Progress) => void
  },
  deps: ReadingDeps,
): Promise<Reading> {
  const { provider } = source
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
        return { source, fromHeight, end, path: await file.keep(end.head.height) }
      }
      failpoint('before', 'histories.page')
      const bytes = await file.write(step.value.lines)
      failpoint('after', 'histories.page')
      if (bytes > MAX_FILE_BYTES)
        throw new HistoryError('too_large', provider, `more than ${MAX_FILE_BYTES} bytes`)
      onProgress({ provider, pages: step.value.pages, pagesExpected: step.value.pagesExpected })
    }
  } catch (error) {
    await file.drop()
    throw error
  }
}

export async function linesOf({ path }: Reading): Promise<readonly Line[]> {
  const text = await readFile(path, 'utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

/** A reading with these lines in front of its own. */
export async function withLinesBefore(reading: Reading, lines: readonly Line[]): Promise<Reading> {
  if (lines.length === 0) return reading
  const path = `${reading.path.slice(0, -EXTENSION.length)}-disputed${EXTENSION}`
  const part = `${path}.part`
  const handle = await open(part, 'w', 0o600)
  try {
    await handle.writeFile(textOf(lines))
    await handle.writeFile(await readFile(reading.path))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(part, path)
  return { ...reading, path }
}

const EXTENSION = '.jsonl'

async function beginFile(folder: string, { chain, address }: Place, provider: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = [chain, address, provider].join('-').replaceAll(/[^A-Za-z0-9.-]/g, '_')
  const part = join(folder, `${name}.part`)
  const handle = await open(part, 'w', 0o600)
  let isOpen = true
  let bytes = 0
  const close = async (): Promise<void> => {
    if (isOpen) await handle.close()
    isOpen = false
  }
  return {
    /** Resolves to the bytes that the file has then. */
    async write(lines: readonly Line[]): Promise<number> {
      const text = Buffer.from(textOf(lines))
      await handle.writeFile(text)
      return (bytes += text.length)
    },
    async keep(height: number): Promise<string> {
      await handle.sync()
      await close()
      const path = join(folder, `${name}-${height}${EXTENSION}`)
      failpoint('before', 'histories.file')
      await rename(part, path)
      failpoint('after', 'histories.file')
      return path
    },
    async drop(): Promise<void> {
      await close()
      await rm(part, { force: true })
    },
  }
}

const textOf = (lines: readonly Line[]): string => lines.map((line) => `${jsonOf(line)}\n`).join('')

const jsonOf = (line: Line): string =>
  JSON.stringify(line, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

/** Imports the file of a reading, as what `provider` said. Throws a HistoryError. */
export async function importReading(
  { source, fromHeight, path, end }: Reading,
  { place, provider = source.provider }: { readonly place: Place; readonly provider?: string },
  { database, importedBy, nowMs }: ReadingDeps,
): Promise<void> {
  const { head, kinds, incomplete } = end
  const range =
    kinds.length === 0
      ? {}
      : {
          // Where there is no newer block the range is that block again: it was all there was at that time.
          completeFrom: fromHeight === null ? 0 : Math.min(fromHeight + 1, head.height),
          ...{ completeTo: head.height, covers: kinds },
        }
  failpoint('before', 'histories.import')
  const result = await importLedger(
    {
      ...{ file: path, format: source.format, chain: place.chain, importedBy, ...range },
      reason: `History of one address from ${provider}`,
      history: {
        ...{ address: place.address, provider, height: head.height },
        ...{ hash: head.hash ?? '', atS: head.atS, incomplete },
      },
    },
    { database, now: () => new Date(nowMs()) },
  )
  failpoint('after', 'histories.import')
  if (result.status === 'refused') throw new HistoryError('refused_import', provider, result.message)
}
