import type { JobItem } from '@cupel/read-models'
import { expect, test } from 'vitest'
import { SLICE_ITEMS, type LargeRead } from '../http/large-reads.js'
import { resultDocuments } from './job-documents.js'
import { endedStretches, slicedResults } from './result-slices.js'

const CALLER = { accountId: 'acc_1', livemode: true }
const JOB_ITEMS = 1_000
/** Rows of one read: no more than this may be in memory for a job, however large it is. */
const MAX_ROWS = 8 * SLICE_ITEMS

const itemAt = (index: number): JobItem => ({
  ...{ status: 'completed', index, address: `a${index}`, reportId: `r${index}`, level: 'green', score: 0 },
})

/** A read whose slices are counted, and what each slice reads. */
function watchedRead() {
  const slices: number[] = []
  let rows = 0
  const read: LargeRead = {
    async slice(work) {
      rows = 0
      const result = await work()
      slices.push(rows)
      return result
    },
    close: () => undefined,
  }
  return { read, slices, note: (count: number) => (rows += count) }
}

function resultsOf(total: number) {
  const { read, slices, note } = watchedRead()
  const reader = {
    findEndedResults: (_caller: object, { from, size }: { from: number; size: number }) => {
      const items = Array.from({ length: Math.min(size, total - from) }, (_, at) => itemAt(from + at))
      note(items.length)
      return Promise.resolve({ items, total })
    },
  }
  const chunks = slicedResults(read, {
    stretches: endedStretches(read, reader, CALLER, { jobId: 'job_1', total }),
    readReports(items) {
      note(items.length)
      return Promise.resolve(new Map(items.map(({ index }) => [`r${index}`, `{"report_id":"r${index}"}`])))
    },
    textOf: resultDocuments,
    ...{ begin: '[', between: ',', end: ']' },
  })
  return { chunks, slices }
}

test('all results of a job of 1,000 items are made in slices, none of which reads the whole job', async () => {
  const { chunks, slices } = resultsOf(JOB_ITEMS)
  let text = ''
  for await (const chunk of chunks) text += chunk
  const results = JSON.parse(text) as { index: number; report: { report_id: string } }[]
  expect(results.map(({ index }) => index)).toEqual(Array.from({ length: JOB_ITEMS }, (_, index) => index))
  expect(results.at(-1)!.report.report_id).toBe('r999')
  expect(Math.max(...slices)).toBe(MAX_ROWS)
  const stretches = Math.ceil(JOB_ITEMS / MAX_ROWS)
  expect(slices.filter((rows) => rows > SLICE_ITEMS)).toHaveLength(stretches)
})

test('a reader that leaves after the first results has cost one stretch and one slice', async () => {
  const { chunks, slices } = resultsOf(JOB_ITEMS)
  expect((await chunks.next()).value).toMatch(/^\[\{"index":0,/)
  await chunks.return(undefined)
  expect(slices).toEqual([MAX_ROWS, SLICE_ITEMS])
})

test('no results are an empty list, and a stretch that cannot be read ends the text before its end', async () => {
  const none: string[] = []
  for await (const chunk of resultsOf(0).chunks) none.push(chunk)
  expect(none.join('')).toBe('[]')
  const { read } = watchedRead()
  const reader = { findEndedResults: () => Promise.resolve(null) }
  const stretches = endedStretches(read, reader, CALLER, { jobId: 'job_1', total: 20 })
  await expect(stretches.next()).rejects.toThrow('job_1')
})
