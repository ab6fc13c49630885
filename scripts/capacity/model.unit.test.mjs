import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { costsOf, limitsOf, needsOf, storageOf, yearOf } from './model.mjs'

const root = join(import.meta.dirname, '../..')
const costs = {
  api: 0.2,
  scorer: 0.1,
  projector: 0.05,
  'bulk-coordinator': 0.01,
  'kafka broker': 0.06,
  postgres: 0.06,
}
const sizes = { screen: 32, report: 64 }

test('the page follows the measured figures', () => {
  execFileSync(process.execPath, [join(root, 'scripts/capacity.mjs'), '--check'], { stdio: 'pipe' })
})

test('costs are those of the Kafka profile, and a page without one of them is refused', () => {
  const page = readFileSync(join(root, 'docs/benchmarks.md'), 'utf8')
  expect(Object.keys(costsOf(page)).sort()).toEqual(Object.keys(costs).sort())
  expect(() => costsOf(page.replaceAll(/projector \d/g, 'nobody 0'))).toThrow('projector')
  expect(() => costsOf('')).toThrow('no processor time')
})

test('a year of screens takes what the page measured of one, and each broker has its copy', () => {
  const page = readFileSync(join(root, 'docs/benchmarks.md'), 'utf8')
  const storage = storageOf(page)
  expect(storage.postgres).toBeGreaterThan(500)
  expect(storage.log).toBeGreaterThan(500)
  expect(() => storageOf(page.replaceAll('| one copy of the log', '| nothing'))).toThrow(
    'one copy of the log',
  )
  expect(yearOf(2, { postgres: 1_000, log: 100 })).toEqual({
    ...{ screens: 63_072_000, postgresBytes: 63_072_000_000, brokerBytes: 18_921_600_000 },
  })
})

test('a process is planned to use half a core, and two of each are there in any case', () => {
  expect(needsOf(1, costs, sizes)).toMatchObject({ api: 2, scorer: 2, projector: 2, exceeded: [] })
  expect(needsOf(10_000, costs, sizes)).toMatchObject({ api: 4, scorer: 2, coordinator: 2 })
  expect(needsOf(100_000, costs, sizes)).toMatchObject({ coordinator: 2 })
})

test('what is exceeded at a rate is each limit below it', () => {
  const limits = limitsOf(costs, { ...sizes, postgresCores: 16 })
  expect(limits.map(({ rate }) => rate)).toEqual([...limits.map(({ rate }) => rate)].sort((a, b) => a - b))
  for (const { what, rate } of limits.filter((each) => !each.what.startsWith('Postgres'))) {
    const before = needsOf(rate, costs, sizes).exceeded.length
    expect(needsOf(rate * 1.01, costs, sizes).exceeded.length, what).toBe(before + 1)
  }
})
