// The third source of Kafka for the suite, after a given broker and local processes: containers. Machines with Docker and without Java use it.
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { confluentRegistry, openKafkaLog } from '../../packages/event-log/src/kafka/index.ts'
import { startKafkaContainers } from '../../packages/testkit/src/kafka-containers.ts'
import { standIn } from './base-images.mjs'

const missing = process.env.CUPEL_TEST_ENGINE_MISSING
if (missing !== undefined) noteSkip(`Kafka in containers: ${missing}`)
const TOPIC = { name: 'third-source.v1', partitions: 2, producer: 'ordered', config: {} }
const SCHEMA = JSON.stringify({
  type: 'record',
  name: 'Happened',
  fields: [{ name: 'a', type: 'string', default: '' }],
})
/** Its own containers are removed by the test; the image of its reaper is not at hand everywhere. */
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
  const id = await registry.register('third-source.v1-Happened', SCHEMA)
  expect((await registry.versions('third-source.v1-Happened')).map((each) => each.id)).toEqual([id])
})
