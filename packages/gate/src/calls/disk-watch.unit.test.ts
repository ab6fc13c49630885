/** What the watch of a volume tells the metrics. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@cupel/contracts'
import { createMetrics } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDiskWatch } from './disk-watch.js'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'cupel-disk-watch-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('free bytes are told of a volume that is there, and nothing of one that is not', async () => {
  const told = createMetrics('test')
  const there = createDiskWatch({ logger: silentLogger, metrics: told, folder, watermark: '1' })
  await until(async () => expect((await told.render()).body).toMatch(/^cupel_disk_free_bytes\{.*\} [1-9]/m))
  await there.stop()

  const untold = createMetrics('test')
  const warned = vi.fn()
  const elsewhere = { metrics: untold, folder: join(folder, 'missing'), watermark: '1' }
  const missing = createDiskWatch({ logger: { ...silentLogger, warn: warned }, ...elsewhere })
  await missing.stop()
  expect(warned).not.toHaveBeenCalled()
  expect((await untold.render()).body).not.toContain('cupel_disk_free_bytes')
})
