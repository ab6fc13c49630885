import { topicOf } from '@cupel/contracts'
import { createTestDatabase, type DatabaseTemplate } from '../test-database.js'
import { openDatabase } from '@cupel/postgres'
import { expect, test } from 'vitest'
import { openTestInstallation } from './open-test-installation.js'

const sizeOf = async (connectionString: string): Promise<number> => {
  const database = openDatabase({ connectionString, maxConnections: 1, applicationName: 'test' })
  const rows = await database.query('SELECT * FROM filled')
  await database.close()
  return rows.length
}

test('callers at once get databases of their own, cloned from one template that is filled once', async () => {
  let fills = 0
  const template: DatabaseTemplate = {
    key: `a template of this test ${process.pid} ${Date.now()}`,
    async fill(connectionString) {
      fills += 1
      const database = openDatabase({ connectionString, maxConnections: 1, applicationName: 'test' })
      await database.execute('CREATE TABLE filled AS SELECT 1 AS one')
      await database.close()
    },
  }
  const databases = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase(template)))
  expect(fills).toBe(1)
  expect(new Set(databases.map(({ connectionString }) => connectionString)).size).toBe(4)
  for (const { connectionString } of databases) expect(await sizeOf(connectionString)).toBe(1)
  await Promise.all(databases.map((database) => database.drop()))
})

test('an installation has the topics and the schemas, and shares no record with another one', async () => {
  const [one, other] = await Promise.all([openTestInstallation(), openTestInstallation()])
  const topic = topicOf('LabelsAsserted')
  expect(await one.log.partitionCount(topic)).toBeGreaterThan(0)
  const closed: number[] = []
  one.onClose(() => closed.push(1))
  one.onClose(() => closed.push(2))
  await one.log.append('test', [{ topic, key: 'a', value: Buffer.from('x'), headers: {} }])
  expect(await one.records(topic)).toHaveLength(1)
  expect(await other.records(topic)).toHaveLength(0)
  await Promise.all([one.close(), other.close()])
  expect(closed).toEqual([2, 1])
})
