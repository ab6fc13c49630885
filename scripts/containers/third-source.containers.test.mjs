// Tests containers: the third source of Kafka and Postgres for the suite, after given servers and local processes.
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { confluentRegistry, openKafkaLog } from '../../packages/event-log/src/kafka/index.ts'
import { FAST_SETTINGS } from '../../packages/testkit/src/global-postgres.ts'
import { startKafkaContainers } from '../../packages/testkit/src/kafka-containers.ts'
import { startPostgresContainer } from '../../packages/testkit/src/postgres-container.ts'
import { createTestDatabase } from '../../packages/testkit/src/test-database.ts'
import { openDatabase } from '../../packages/postgres/src/index.ts'
import { standIn } from './base-images.mjs'

const missing = process.env.CUPEL_TEST_ENGINE_MISSING
if (missing !== undefined) noteSkip(`Kafka and Postgres in containers: ${missing}`)
/** @type {import('@cupel/contracts').TopicSpec} */
const TOPIC = { name: 'third-source.v1', partitions: 2, producer: 'ordered', config: {} }
const SCHEMA = JSON.stringify({
  type: 'record',
  name: 'Happened',
  fields: [{ name: 'a', type: 'string', default: '' }],
})
/** The test removes its own containers. The image of the reaper of Testcontainers is not available everywhere. */
process.env.TESTCONTAINERS_RYUK_DISABLED = 'true'

let kafka
beforeAll(async () => {
  if (missing !== undefined) return
  kafka = await startKafkaContainers({
    kafka: await standIn('kafka', {}),
    registry: await standIn('registry', {}),
  })
})
afterAll(() => kafka?.stop())

test.skipIf(missing !== undefined)('a broker of containers keeps records', async () => {
  const log = openKafkaLog({ ...kafka.access, clientId: 'third-source' })
  try {
    // A broker that listens may still be starting.
    await until(() => log.ensureTopics([TOPIC]))
    const key = 'one'
    const [position] = await log.append('test', [
      { topic: TOPIC.name, key, value: Buffer.from('value'), headers: {} },
    ])
    expect(position).toMatchObject({ topic: TOPIC.name, offset: 0 })
    expect(await log.endOffset(TOPIC.name, await log.partitionFor(TOPIC.name, key))).toBe(1)
  } finally {
    await log.close()
  }
})

test.skipIf(missing !== undefined)('a registry of containers keeps schemas', async () => {
  const registry = confluentRegistry({ url: kafka.registryUrl })
  const subject = 'third-source.v1-Happened'
  const [{ id }] = await registry.register([{ subject, schema: SCHEMA }])
  expect((await registry.versions(subject)).map((each) => each.id)).toEqual([id])
})

test.skipIf(missing !== undefined)('a database of a container is one for each test', async () => {
  const postgres = await startPostgresContainer(FAST_SETTINGS, await standIn('postgres', {}))
  process.env.CUPEL_TEST_POSTGRES_URL = postgres.url
  try {
    const { connectionString, drop } = await createTestDatabase()
    const database = openDatabase({
      connectionString,
      maxConnections: 1,
      applicationName: 'third-source',
      statementTimeoutMs: 0,
    })
    const [{ name, lasting }] = await database.query(
      "SELECT current_database() AS name, current_setting('synchronous_commit') AS lasting",
    )
    expect(name).toBe(new URL(connectionString).pathname.slice(1))
    expect(lasting).toBe('off')
    await database.close()
    await drop()
  } finally {
    delete process.env.CUPEL_TEST_POSTGRES_URL
    await postgres.stop()
  }
})
