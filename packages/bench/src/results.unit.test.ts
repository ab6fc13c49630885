import { expect, test } from 'vitest'
import { renderMarkdown, type BenchResults, type ScreenResult } from './results.js'

const load = (over: Partial<ScreenResult>): ScreenResult => ({
  ...{ kind: 'open', level: 200, seconds: 10, requests: 2_000, errors: 0, errorSamples: [], perSecond: 200 },
  ...{ p50Ms: 2, p95Ms: 5, p99Ms: 8, maxMs: 20, cpu: [], ...over },
})

const results = (over: Partial<BenchResults['profiles'][number]>): BenchResults => ({
  conditions: {
    ...{
      date: '2026-11-21',
      commit: 'abc1234',
      cores: 2,
      cpu: 'x',
      memoryGib: 8,
      node: '20.20.2',
      platform: 'linux',
    },
    ...{ brokers: 1, secondsPerPhase: 10, warmUpSeconds: 25, loadAverage: 0.2, labelRows: 55_523 },
  },
  profiles: [
    {
      profile: 'kafka',
      firstStartMs: null,
      secondStartMs: null,
      labelImport: null,
      loads: [],
      memory: [],
      ...over,
    },
  ],
})

test('a screen is shown beside bare echo and floor, as a multiple of each, with its errors and its target', () => {
  const bareEcho = load({ p50Ms: 3, p95Ms: 8, p99Ms: 9, perSecond: 199 })
  const floor = load({ p95Ms: 4 })
  const screen = load({ p95Ms: 10, errors: 3 })
  const table = renderMarkdown(results({ loads: [{ bareEcho, floor, screen }] }))
  expect(table).toContain(
    '| open loop, 200/s | 3 / 8 / 9 | 2 / 4 / 8 | 2 / 10 / 8 / 20 | 1.25, 2.50 | 200 (199, 200) | 3 | p95 ≤ 2 × floor, ≤ 2.5 × bare echo and < 40 ms |',
  )
})

test('a figure that was not measured is left out, not shown as zero', () => {
  const table = renderMarkdown(results({ loads: [{ bareEcho: null, floor: null, screen: load({}) }] }))
  expect(table).toContain('| open loop, 200/s | — | — | 2 / 5 / 8 / 20 | —, — | 200 (—, —) | 0 |')
  expect(table).not.toContain('second start')
})

test('the conditions stand above the figures', () => {
  const table = renderMarkdown(results({ secondStartMs: 11_040 }))
  expect(table).toMatch(
    /abc1234.*\n.*2 cores.*Node 20\.20\.2.*load average before the run 0\.2.*55,523 label rows/,
  )
  expect(table).toContain('| second start, until ready | 11.0 s | ≤ 25 s |')
})

test('CPU per screen is shown for each process at the closed loop with the most connections', () => {
  const cpu = [
    { process: 'api', seconds: 4 },
    { process: 'scorer', seconds: 2 },
  ]
  const busiest = load({ kind: 'closed', level: 256, requests: 20_000, cpu })
  const table = renderMarkdown(results({ loads: [{ bareEcho: null, floor: null, screen: busiest }] }))
  expect(table).toContain('| CPU per screen at 256 connections | 0.30 ms: api 0.20 ms, scorer 0.10 ms | — |')
})
