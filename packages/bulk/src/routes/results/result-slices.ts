/** The results of a job as text, made slice by slice: a slice reads reports, or makes a part of their text. */
import type { JobItem, JobOverview, ResultStretch, Turn } from '../../read-model/index.js'
import { SLICE_ITEMS } from '@cupel/gate/http'

export interface SlicedResults {
  /** The items in order, in the groups in which they were read. */
  readonly stretches: Iterable<readonly JobItem[]> | AsyncIterable<readonly JobItem[]>
  readonly readReports: (items: readonly JobItem[]) => Promise<ReadonlyMap<string, string>>
  /** Opens the sealed texts of items. */
  readonly open: (items: readonly JobItem[]) => Promise<readonly JobItem[]>
  readonly textOf: (items: readonly JobItem[], reports: ReadonlyMap<string, string>) => string
  /** Before, between and after the slices. */
  readonly begin: string
  readonly between: string
  readonly end: string
}

/** Results whose reports a slice reads. Their text is made in further slices: 64 rows of a table would take 4 ms of a processor in one piece. */
export const SLICE_RESULTS = 4 * SLICE_ITEMS
/** Items of an ended job that are read at once. The database goes through all items of the job for each stretch. */
export const STRETCH_ITEMS = 4 * SLICE_RESULTS

/** The process itself reads and makes fewer results, all at once. */
export function isLarge(total: number): boolean {
  return total > SLICE_ITEMS
}

/** All items of an ended job, in the order of the submission; reading each stretch is a slice. */
export async function* endedStretches(
  turn: Turn,
  read: (order: {
    readonly jobId: string
    readonly from: number
    readonly size: number
  }) => Promise<ResultStretch | null>,
  { jobId, total }: Pick<JobOverview, 'jobId' | 'total'>,
): AsyncGenerator<readonly JobItem[]> {
  for (let from = 0; from < total; from += STRETCH_ITEMS) {
    const order = { jobId, from, size: STRETCH_ITEMS }
    const stretch = await turn(() => read(order))
    if (stretch === null) throw new Error(`Results ${from} and on of the ended job ${jobId} cannot be read`)
    yield stretch.items
  }
}

export async function* slicedResults(turn: Turn, results: SlicedResults): AsyncGenerator<string> {
  const { stretches, readReports, open, textOf, begin, between, end } = results
  let isBegun = false
  for await (const items of stretches)
    for (let from = 0; from < items.length; from += SLICE_RESULTS) {
      const slice = items.slice(from, from + SLICE_RESULTS)
      const [opened, reports] = await turn(async () => [await open(slice), await readReports(slice)] as const)
      for (let at = 0; at < opened.length; at += SLICE_ITEMS) {
        const text = await turn(() => Promise.resolve(textOf(opened.slice(at, at + SLICE_ITEMS), reports)))
        yield (isBegun ? between : begin) + text
        isBegun = true
      }
    }
  yield isBegun ? end : begin + end
}
