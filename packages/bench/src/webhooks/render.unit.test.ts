import { expect, test } from 'vitest'
import { renderWebhooks } from './render.js'

test('the table shows each figure beside its target', () => {
  const delays = { p50Ms: 40, p99Ms: 90, maxMs: 120 }
  const row = {
    postToWebhookMs: [900, 700, 800],
    deliveries: { count: 5_000, perSecond: 640 },
    idle: delays,
    besideHanging: { ...delays, p99Ms: 95 },
  }
  const text = renderWebhooks({
    ...{ date: '2026-11-21', cores: 2, loadAverage: 0.1 },
    rows: [
      { profile: 'embedded', ...row },
      { profile: 'kafka', ...row },
    ],
  })
  expect(text).toContain(
    '| kafka | 1,000 addresses, POST to webhook, median / worst | 800 / 900 ms | ≤ 1.5 s |',
  )
  expect(text).toContain('| embedded | signed deliveries, 5000 to ten endpoints | 640 /s | ≥ 500 /s |')
  expect(text).toContain('40 / 95 / 120 ms | p99 ≤ 1 s')
})
