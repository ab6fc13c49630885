/** The public topics, read by an ordinary Avro consumer: a plain Kafka client and the client of the schema registry. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import {
  checkout,
  createHome,
  removeHome,
  startInstallation,
  type Installation,
} from '../src/installation.js'
import { readTopic } from '../src/kafka-log.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`public topics on the Kafka profile: ${missing}`)

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REPORTS = 'screening.report.events.v1'
const LIMIT_MS = 300_000

interface Subject {
  readonly topic: string
  readonly record: string
  readonly visibility: 'public' | 'internal'
}

describe.skipIf(missing !== undefined)('public topics', () => {
  const home = createHome()
  let installation: Installation
  let client: Client

  beforeAll(async () => {
    installation = await startInstallation({
      ...{ kafka: true, home },
      // A busy machine is slower than a customer is patient.
      environment: { CUPEL_SCREEN_DEADLINE_MS: '20000' },
    })
    client = createClient(installation.ready.base_urls, await enterpriseKey(home))
  }, LIMIT_MS)
  afterAll(async () => {
    await client?.close()
    await installation?.stop()
    removeHome(home)
  })

  test(
    'every record of them is an event of the topic, from the beginning',
    async () => {
      const answer = await client.screen(ADDRESS)
      expect(answer.status).toBe(200)
      for (const [topic, types] of publicTopics()) {
        const records = await readTopic(installation.ready, topic)
        for (const { type, value } of records) {
          expect(types).toContain(type)
          expect(Object.keys(value).length).toBeGreaterThan(0)
        }
        if (topic === REPORTS) expect(records.map(({ type }) => type)).toEqual(['ReportGenerated'])
      }
    },
    LIMIT_MS,
  )
})

/** The types of events by public topic, as schemas/subjects.json states them. */
function publicTopics(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(checkout, 'schemas/subjects.json'), 'utf8')
  const subjects = Object.values(JSON.parse(text) as Record<string, Subject>)
  const topics = new Map<string, string[]>()
  for (const { topic, record, visibility } of subjects)
    if (visibility === 'public') topics.set(topic, [...(topics.get(topic) ?? []), record])
  return topics
}
