/** An operator of the brokers can cut, replace and rewrite topics. The leaves show this on a real broker. */
import { randomBytes } from 'node:crypto'
import { silentLogger, topicOf } from '@cupel/contracts'
import { placesOf, type AuthenticLog, type EventLog, type LogRecord } from '@cupel/event-log'
import { deleteRecordsBefore, deleteTopic, openKafkaLog } from '@cupel/event-log/kafka'
import { testKafka } from '@cupel/testkit'
import { openTestLog } from '@cupel/testkit/installation'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compareTransparency, lostRecords, NO_WITNESSES, storeOfLog } from '../../src/transparency/index.js'
import { accounts, openTransparentLog, topics, type TransparentLog } from './transparent-log.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
const TOPIC = topicOf('AccountCreated')
const RECORDS = 600

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let topicPrefix: string
    let own: TransparentLog
    let open: EventLog[]
    const connection = () => ({ ...testKafka(), clientId: 'transparency-admin', logger: silentLogger })
    const openLog = (): EventLog => {
      const log = openKafkaLog({ ...testKafka(), clientId: 'transparency', topicPrefix })
      open.push(log)
      return log
    }
    beforeEach(async () => {
      topicPrefix = `transparency-${randomBytes(6).toString('hex')}.`
      open = []
      own = await openTransparentLog(openLog)
      await own.installation.append(...accounts(RECORDS))
      await own.extend()
    })
    afterEach(async () => {
      await own.close()
      await Promise.all(open.map((log) => log.close()))
    })

    /** The log as a newly started process opens it. */
    const newLog = async (): Promise<AuthenticLog> =>
      await openTestLog(own.installation.database, { log: openLog() })

    /** What such a process finds. */
    async function compared(): Promise<unknown[]> {
      const { database, codec } = own.installation
      const log = await newLog()
      const { faults, problems } = (await compareTransparency({
        ...{ log, codec, database, verifier: own.keys.verifier, accepted: [], copies: [] },
        ...{ places: await placesOf(log, topics), witnesses: NO_WITNESSES, endsEarlier: false },
        ...{ store: storeOfLog(own.store, await log.identity()), checksTimes: true },
        ...{ maxProblems: 100, publishGraceMs: 0 },
      }))!
      return [
        ...faults.map(({ detail }) => detail),
        ...problems.map(({ kind, offset, to }) => ({ kind, offset, to })),
      ]
    }
    const lost = async (): Promise<string | null> => {
      const { database } = own.installation
      return await lostRecords({ log: await newLog(), database, stores: [own.store], keys: own.keys })
    }
    async function read(): Promise<LogRecord[]> {
      const log = openLog()
      const records: LogRecord[] = []
      const range = { topic: TOPIC, partition: 0, from: 0, to: await log.endOffset(TOPIC, 0) }
      for await (const page of log.read(range)) records.push(...page)
      return records
    }
    /** Deletes the topic and recreates it with these records. */
    async function rewrite(records: readonly LogRecord[]): Promise<void> {
      await deleteTopic(connection(), `${topicPrefix}${TOPIC}`)
      const log = openLog()
      await log.ensureTopics(topics)
      if (records.length > 0)
        await log.append(
          'test',
          records.map(({ topic, partition, key, value, headers }) => ({
            topic,
            partition,
            key,
            value,
            headers,
          })),
        )
    }

    test('an untouched log agrees, also where its front was deleted as a retention would', async () => {
      expect([await compared(), await lost()]).toEqual([[], null])
      await deleteRecordsBefore(connection(), { wireTopic: topicPrefix + TOPIC, partition: 0, offset: 300 })
      await own.installation.append(...accounts(5))
      await own.extend()
      expect([await compared(), await lost()]).toEqual([[], null])
    })

    test('a topic that was made anew is missing its records, and a start is refused', async () => {
      await rewrite([])
      expect(await compared()).toEqual([{ kind: 'no-record', offset: 0, to: RECORDS }])
      expect(await lost()).toMatch(/ends at offset 0, and its records up to \d+ were signed/)
    })

    test('a topic that lost its last records is missing them', async () => {
      const records = await read()
      await rewrite(records.slice(0, -1))
      expect(await compared()).toContainEqual({ kind: 'no-record', offset: RECORDS - 1, to: RECORDS })
      expect(await lost()).toContain(`ends at offset ${RECORDS - 1}`)
    })

    test('a record that was written again with another value is named by its place', async () => {
      const records = await read()
      records[300] = { ...records[300]!, headers: records[300]!.headers, value: Buffer.from('green') }
      await rewrite(records)
      expect(await compared()).toContainEqual({ kind: 'other-record', offset: 300, to: 301 })
      // The end is the signed one, so a start finds no fault; only a verification finds it.
      expect(await lost()).toBeNull()
    })
  },
)
