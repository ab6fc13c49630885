/** The results of a job as text, made slice by slice: each reads the reports that it needs, and no others. */
import type { JobItem, JobOverview, Tenant } from '@cupel/read-models'
import { SLICE_ITEMS, type LargeRead } from '../http/large-reads.js'
import type { BulkParts } from './open-bulk.js'

export interface SlicedResults {
  /** The items in order, as many at once as were read at once. */
  readonly stretches: Iterable<readonly JobItem[]> | AsyncIterable<readonly JobItem[]>
  readonly readReports: (items: readonly JobItem[]) => Promise<ReadonlyMap<string, string>>
  readonly textOf: (items: readonly JobItem[], reports: ReadonlyMap<string, string>) => string
  /** Before, between and after the slices. */
  readonly begin: string
  readonly between: string
  readonly end: string
}

/** Items of an ended job that are read at once. The database goes through all items of the job for each stretch. */
const STRETCH_ITEMS = 8 * SLICE_ITEMS

export function isLarge(total: number): boolean {
  return total > SLICE_ITEMS
}

/** All items of an ended job, in the order of the submission; reading each stretch is a slice. */
export async function* endedStretches(
  read: LargeRead,
  { findEndedResults }: Pick<BulkParts['reader'], 'findEndedResults'>,
  caller: Tenant,
  { jobId, total }: Pick<JobOverview, 'jobId' | 'total'>,
): AsyncGenerator<readonly JobItem[]> {
  for (let from = 0; from < total; from += STRETCH_ITEMS) {
    const order = { jobId, from, size: STRETCH_ITEMS }
    const stretch = await read.slice(() => findEndedResults(caller, order))
    if (stretch === null) throw new Error(`Results ${from} and on of the ended job ${jobId} cannot be read`)
    yield stretch.items
  }
}

export async function* slicedResults(read: LargeRead, results: SlicedResults): AsyncGenerator<string> {
  const { stretches, readReports, textOf, begin, between, end } = results
  let isBegun = false
  for await (const items of stretches)
    for (let from = 0; from < items.length; from += SLICE_ITEMS) {
      const slice = items.slice(from, from + SLICE_ITEMS)
      const text = await read.slice(async () => textOf(slice, await readReports(slice)))
      yield (isBegun ? between : begin) + text
      isBegun = true
    }
  yield isBegun ? end : begin + end
}

/** For who needs all of it at once. */
export async function wholeResults(read: LargeRead, results: SlicedResults): Promise<string> {
  const chunks: string[] = []
  for await (const chunk of slicedResults(read, results)) chunks.push(chunk)
  return chunks.join('')
}
