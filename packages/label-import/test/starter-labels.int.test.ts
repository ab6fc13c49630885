import { afterAll, beforeAll, expect, test } from 'vitest'
import { listSets } from '@cupel/read-models'
import { importStarterLabels } from '../src/index.js'
import { startInstallation, type TestInstallation } from './installation.js'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
}, 60_000)
afterAll(async () => await installation.close())

test('the starter labels are imported once, whole, and left to the operator afterwards', async () => {
  const first = await importStarterLabels(installation.deps)
  expect(first).toMatchObject({ status: 'imported', refused: { count: 0 }, repeated: 0, visible: true })
  expect(await importStarterLabels(installation.deps)).toBeNull()
  const sets = await listSets(installation.database)
  expect(sets).toMatchObject([
    { source: 'cupel_starter', dataset: 'starter', authority: false, appended: false },
  ])
  expect(sets[0]!.total).toBeGreaterThanOrEqual(60)
})

test('a sanctioned starter address restates OFAC without being its list', async () => {
  const labels = await installation.show('0x098B716B8Aaf21512996dC57EB0615e2383E2f96')
  expect(labels.map(({ category, origin, kind, role }) => ({ category, origin, kind, role }))).toEqual([
    { category: 'sanctions', origin: 'us-ofac', kind: 'restatement', role: 'owner' },
    { category: 'stolen', origin: 'service-ronin', kind: 'service_statement', role: 'owner' },
  ])
})
