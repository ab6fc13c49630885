import { silentLogger } from '@cupel/contracts'
import { createMetrics } from '@cupel/kit/service'
import { openTestDatabase, until } from '@cupel/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { watchDatabaseSize } from './watch-database-size.js'

const sizeIn = async (metrics: ReturnType<typeof createMetrics>): Promise<number | null> => {
  const found = /^cupel_database_bytes\{.*\} (\S+)$/m.exec((await metrics.render()).body)
  return found === null ? null : Number(found[1])
}

test('the size of the database is told as it is, and of one that does not answer nothing', async () => {
  const { database, close } = await openTestDatabase()
  let isClosed = false
  onTestFinished(async () => (isClosed ? undefined : await close()))
  const told = async (): Promise<number> => {
    const metrics = createMetrics('test')
    const watch = watchDatabaseSize({ database, logger: silentLogger, metrics })
    const size = await until(async () => {
      const found = await sizeIn(metrics)
      expect(found).not.toBeNull()
      return found!
    })
    await watch.stop()
    return size
  }
  const before = await told()
  await database.execute(
    "CREATE TABLE grown AS SELECT repeat('x', 1000) AS text FROM generate_series(1, 4000)",
  )
  const rowBytes = 1_000 * 4_000
  expect((await told()) - before).toBeGreaterThan(rowBytes)

  await close()
  isClosed = true
  const metrics = createMetrics('test')
  const warn = vi.fn()
  const watch = watchDatabaseSize({ database, logger: { ...silentLogger, warn }, metrics })
  await until(() => expect(warn).toHaveBeenCalled())
  await watch.stop()
  expect(await sizeIn(metrics)).toBeNull()
})
