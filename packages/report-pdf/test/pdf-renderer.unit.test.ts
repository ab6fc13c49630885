import { PATIENCE_MS, sampleReport } from '@cupel/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPdfRenderer, RendererBusyError, type PdfRenderer } from '../src/index.js'
import { MAX_ORDERS_PER_WORKER } from '../src/pdf-renderer.js'
import { renderReport } from '../src/render-report.js'

const json = JSON.stringify(sampleReport())

let renderer: PdfRenderer
beforeEach(() => {
  renderer = createPdfRenderer({ workers: 1, timeoutMs: PATIENCE_MS })
})
afterEach(() => renderer.close())

it('renders in a thread the bytes that the process itself would render', async () => {
  expect(Buffer.from(await renderer.render(json, null))).toEqual(Buffer.from(await renderReport(json)))
})

it('refuses what is beyond its limit at once, and renders the rest', async () => {
  const orders = Array.from({ length: MAX_ORDERS_PER_WORKER + 3 }, () => renderer.render(json, null))
  const results = await Promise.allSettled(orders)
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(3)
  for (const one of refused) expect(one).toHaveProperty('reason', expect.any(RendererBusyError))
  expect((await renderer.render(json, null)).length).toBeGreaterThan(0)
})

it('rejects what is no report, and goes on', async () => {
  await expect(renderer.render('{"report_id":1}', null)).rejects.toThrow('could not be rendered')
  expect((await renderer.render(json, null)).length).toBeGreaterThan(0)
})

it('rejects what it has not finished when it is closed', async () => {
  const order = renderer.render(json, null)
  const outcome = expect(order).rejects.toThrow('ended')
  await renderer.close()
  await outcome
})

it('ends a thread that has no work, never one that has, and starts another when it is needed', async () => {
  const brief = createPdfRenderer({ workers: 1, idleMs: 1, timeoutMs: PATIENCE_MS })
  try {
    for (let round = 0; round < 3; round += 1)
      expect((await brief.render(json, null)).length).toBeGreaterThan(0)
  } finally {
    await brief.close()
  }
})
