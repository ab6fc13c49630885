import type { JobItem } from '../../read-model/queries.js'
import type { Turn } from '../../read-model/find-job.js'
import { SLICE_ITEMS } from '@cupel/gate/http'
import { expect, test } from 'vitest'
import { resultDocuments } from './job-documents.js'
import { endedStretches, SLICE_RESULTS, slicedResults, STRETCH_ITEMS } from './result-slices.js'

const JOB_ITEMS = 1_000

const itemAt = (index: number): JobItem => ({
  ...{ status: 'completed', index, address: `a${index}`, reportId: `r${index}`, level: 'green', score: 0 },
})

/** Counts the turns, the rows read in each, and the results made in each. */
function watchedTurns() {
  const [slices, made]: [number[], number[]] = [[], []]
  let [rows, results] = [0, 0]
  const turn: Turn = async (work) => {
    rows = results = 0
    const result = await work()
    slices.push(rows)
    made.push(results)
    return result
  }
  const [note, noteMade] = [(count: number) => (rows += count), (count: number) => (results += count)]
  return { turn, slices, made, note, noteMade }
}

function resultsOf(total: number) {
  const { turn, slices, made, note, noteMade } = watchedTurns()
  const readStretch = ({ from, size }: { from: number; size: number }) => {
    const items = Array.from({ length: Math.min(size, total - from) }, (_, at) => itemAt(from + at))
    note(items.length)
    return Promise.resolve({ items, total })
  }
  const chunks = slicedResults(turn, {
    stretches: endedStretches(turn, readStretch, { jobId: 'job_1', total }),
    readReports(items) {
      note(items.length)
      return Promise.resolve(new Map(items.map(({ index }) => [`r${index}`, `{"report_id":"r${index}"}`])))
    },
    open: (items) => Promise.resolve(items),
    textOf(items, reports) {
      noteMade(items.length)
      return resultDocuments(items, reports)
    },
    ...{ begin: '[', between: ',', end: ']' },
  })
  return { chunks, slices, made }
}

test('all results of a job of 1,000 items are made in slices, none of which reads the whole job', async () => {
  const { chunks, slices, made } = resultsOf(JOB_ITEMS)
  let text = ''
  for await (const chunk of chunks) text += chunk
  const results = JSON.parse(text) as { number: number; report: { report_id: string } }[]
  expect(results.map(({ number }) => number)).toEqual(Array.from({ length: JOB_ITEMS }, (_, at) => at + 1))
  expect(results.at(-1)!.report.report_id).toBe('r999')
  expect(Math.max(...slices)).toBe(STRETCH_ITEMS)
  const stretches = Math.ceil(JOB_ITEMS / STRETCH_ITEMS)
  expect(slices.filter((rows) => rows > SLICE_RESULTS)).toHaveLength(stretches)
  expect(Math.max(...made)).toBe(SLICE_ITEMS)
  expect(made.filter((results, at) => results > 0 && slices[at]! > 0)).toEqual([])
})

test('a reader that leaves after the first results has cost one stretch, one slice and its first text', async () => {
  const { chunks, slices, made } = resultsOf(JOB_ITEMS)
  expect((await chunks.next()).value).toMatch(/^\[\{"number":1,/)
  await chunks.return(undefined)
  expect(slices).toEqual([STRETCH_ITEMS, SLICE_RESULTS, 0])
  expect(made).toEqual([0, 0, SLICE_ITEMS])
})

test('no results are an empty list, and a stretch that cannot be read ends the text before its end', async () => {
  const none: string[] = []
  for await (const chunk of resultsOf(0).chunks) none.push(chunk)
  expect(none.join('')).toBe('[]')
  const stretches = endedStretches(watchedTurns().turn, () => Promise.resolve(null), {
    jobId: 'job_1',
    total: 20,
  })
  await expect(stretches.next()).rejects.toThrow('job_1')
})
