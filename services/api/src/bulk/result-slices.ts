/** The results of a job as text, made slice by slice: each reads the reports that it needs, and no others. */
import type { JobItem } from '@cupel/read-models'
import { SLICE_ITEMS, type LargeRead } from '../http/large-reads.js'

export interface SlicedResults {
  readonly items: readonly JobItem[]
  readonly readReports: (items: readonly JobItem[]) => Promise<ReadonlyMap<string, string>>
  readonly textOf: (items: readonly JobItem[], reports: ReadonlyMap<string, string>) => string
  /** Before, between and after the slices. */
  readonly begin: string
  readonly between: string
  readonly end: string
}

export function isLarge(items: readonly JobItem[]): boolean {
  return items.length > SLICE_ITEMS
}

export async function* slicedResults(read: LargeRead, results: SlicedResults): AsyncGenerator<string> {
  const { items, readReports, textOf, begin, between, end } = results
  for (let from = 0; from < items.length; from += SLICE_ITEMS) {
    const slice = items.slice(from, from + SLICE_ITEMS)
    const text = await read.slice(async () => textOf(slice, await readReports(slice)))
    yield (from === 0 ? begin : between) + text
  }
  yield end
}

/** For who needs all of it at once. */
export async function wholeResults(read: LargeRead, results: SlicedResults): Promise<string> {
  const chunks: string[] = []
  for await (const chunk of slicedResults(read, results)) chunks.push(chunk)
  return chunks.join('')
}
