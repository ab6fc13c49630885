import { PATIENCE_MS, sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReportCase } from '@cupel/contracts'
import { OrderEndedError, ThreadPoolBusyError } from '@cupel/kit/concurrency'
import { createPdfRenderer, type PdfRenderer } from '../../src/pdf/index.js'
import { MAX_WAITING_PER_ACCOUNT } from '../../src/pdf/pdf-renderer.js'
import { renderReport, renderWithCase } from '../../src/pdf/render-report.js'

const json = JSON.stringify(sampleReport())

/** Shared, because a thread reads fonts and libraries for more than a second. */
let renderer: PdfRenderer
beforeAll(() => {
  renderer = createPdfRenderer({ workers: 1, timeoutMs: PATIENCE_MS })
})
afterAll(() => renderer.close())

test('renders in a thread the bytes that the process itself would render', async () => {
  expect(Buffer.from(await renderer.render(json, null))).toEqual(Buffer.from(await renderReport(json)))
})

test('refuses what is beyond its limit at once, and renders the rest', async () => {
  const orders = Array.from({ length: MAX_WAITING_PER_ACCOUNT + 4 }, () => renderer.render(json, null))
  const results = await Promise.allSettled(orders)
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(3)
  for (const one of refused) expect(one).toHaveProperty('reason', expect.any(ThreadPoolBusyError))
  expect((await renderer.render(json, null)).length).toBeGreaterThan(0)
})

test('rejects what is not a report, and goes on', async () => {
  await expect(renderer.render('{"report_id":1}', null)).rejects.toThrow()
  expect((await renderer.render(json, null)).length).toBeGreaterThan(0)
})

test('rejects what it has not finished when it is closed', async () => {
  const closing = createPdfRenderer({ workers: 1, timeoutMs: PATIENCE_MS })
  const outcome = expect(closing.render(json, null)).rejects.toThrow('ended')
  await closing.close()
  await outcome
})

test('ends a thread that has no work, never one that has, and starts another when it is needed', async () => {
  const brief = createPdfRenderer({ workers: 1, idleMs: 1, timeoutMs: PATIENCE_MS })
  try {
    for (let round = 0; round < 2; round += 1)
      expect((await brief.render(json, null)).length).toBeGreaterThan(0)
  } finally {
    await brief.close()
  }
})

test('renders the first notes of a case with very many, says so, and delays no other account by more', async () => {
  const hostile = renderer.renderWithCase(json, JSON.stringify(longCase(200)), null, 'hostile')
  const other = renderer.render(json, null, 'other')
  expect((await hostile).length).toBeLessThan(MAX_CASE_PDF_BYTES)
  expect((await other).length).toBeGreaterThan(0)
})

/** A ratio, so that a slow machine fails no test: the longest cases took 10 to 32 times the processor time of a report. */
const MOST_REPORTS = 100

test.each([
  ['shaped letters', 'مرحبا بالعالم '],
  ['both directions', 'אa '],
  ['several fonts', 'aम😀स你'],
])('the longest case of %s costs a bounded number of ordinary reports', async (_, letters) => {
  await renderReport(json)
  const ordinary = Math.min(...(await inTurn(5, () => processorOf(() => renderReport(json)))))
  const text = letters.repeat(Math.ceil(2_000 / letters.length)).slice(0, 2_000)
  for (const [notes, person] of [
    [{ count: 200, text }, 'Dana'],
    [{ count: 300, text: 'x' }, text.slice(0, 200)],
  ] as const) {
    const long = JSON.stringify(longCase(notes.count, { text: notes.text, person }))
    const cost = await processorOf(() => renderWithCase(JSON.stringify([json, long])))
    expect(cost / ordinary).toBeLessThan(MOST_REPORTS)
  }
})

test('ends no document of others with one that takes too long, and refuses that one for a while', async () => {
  const brief = createPdfRenderer({ workers: 1, timeoutMs: 1 })
  try {
    const hostile = (): Promise<Uint8Array> => brief.render(json, null, 'hostile')
    await expect(hostile()).rejects.toBeInstanceOf(OrderEndedError)
    await expect(hostile()).rejects.toThrow('a while ago')
  } finally {
    await brief.close()
  }
})

/** Without a bound it had 29 MB. */
const MAX_CASE_PDF_BYTES = 8_000_000

/** Notes of the longest kind, in letters that are shaped. */
function longCase(
  notes: number,
  { text, person } = { text: 'مرحبا بالعالم '.repeat(143), person: 'Dana' },
): ReportCase {
  const { report_id, address, chain } = sampleReport()
  const at = '2026-11-21T09:00:00.012Z'
  const none = { disposition: null, previous_disposition: null, proposal_version: null }
  const by = { key_id: '8f2k1m0a', person }
  return {
    ...{ report_id, address, chain, level: 'red', score: 100, disposition: 'open', proposal: null },
    ...{ version: notes, needs_second_person: true, opened_at: at, changed_at: at },
    history: Array.from({ length: notes }, (_, index) => ({
      ...{ version: index + 1, kind: 'note', at, by, text, ...none },
    })),
  }
}

/** Processor time in microseconds. */
async function processorOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function inTurn<T>(times: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  while (results.length < times) results.push(await work())
  return results
}
