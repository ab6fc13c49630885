/** The time that a comparison of labels may take grows with the labels, however few records state them. */
import { silentLogger } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { expect, test, vi } from 'vitest'
import { PER_ROW_MS, UNCOMPARED_AFTER_MS } from './followed-rows.js'
import type { LabelRowsDeps } from './label-rows.js'

const compared = vi.fn(() => Promise.resolve(undefined))
// Another file of this worker may have loaded the module that uses it.
vi.resetModules()
vi.doMock('@cupel/labels/read-model', async (original) => ({
  ...(await original<object>()),
  compareLabelRows: compared,
}))
const { watchLabelRows } = await import('./label-rows.js')
vi.doUnmock('@cupel/labels/read-model')

test('labels that are not compared as a whole are a fault after 10 ms more for each of them', async () => {
  const rows = 1_000_000
  let atMs = 0
  const watch = watchLabelRows({
    database: { query: () => Promise.resolve([{ rows }]) },
    // Each record states 500 labels.
    log: { endOffset: () => Promise.resolve(rows / 500) },
    ...{ logger: silentLogger, nowMs: () => atMs },
  } as unknown as LabelRowsDeps)
  try {
    await until(() => expect(compared).toHaveBeenCalled())
    atMs = UNCOMPARED_AFTER_MS + rows * PER_ROW_MS
    expect(watch.state().fault).toBeNull()
    atMs += 1
    expect(watch.state().fault).toMatch(/has not compared the rows of labels/)
  } finally {
    await watch.stop()
  }
})
