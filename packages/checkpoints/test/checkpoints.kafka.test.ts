/** An operator of the brokers can cut, replace and rewrite topics. The checkpoints show this on a real broker. */
import { randomBytes } from 'node:crypto'
import { silentLogger } from '@cupel/contracts'
import type { EventLog, LogRecord } from '@cupel/event-log'
import { deleteRecordsBefore, deleteTopic, openKafkaLog } from '@cupel/event-log/kafka'
import { testKafka } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compareLog, lostRecords } from '../src/index.js'
import { openCheckpointedLog, TOPIC, topics, wrongs, type CheckpointedLog } from './history.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
const RECORDS = 600

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let topicPrefix: string
    let history: CheckpointedLog
    let open: EventLog[]
    const connection = () => ({ ...testKafka(), clientId: 'checkpoints-admin', logger: silentLogger })
    const openLog = (): EventLog => {
      const log = openKafkaLog({ ...testKafka(), clientId: 'checkpoints', topicPrefix })
      open.push(log)
      return log
    }
    beforeEach(async () => {
      topicPrefix = `checkpoints-${randomBytes(6).toString('hex')}.`
      open = []
      history = await openCheckpointedLog(openLog)
      await history.append(RECORDS)
      await history.append(10, 1)
      await history.checkpoint()
    })
    afterEach(async () => {
      await history.close()
      await Promise.all(open.map((log) => log.close()))
    })

    /** The differences that a newly started process finds. */
    const compared = async (): Promise<unknown[]> => {
      const { database, folder, keys } = history
      return wrongs(await compareLog({ log: openLog(), database, folder, verifier: keys.verifier }))
    }
    const lost = async (): Promise<string | null> => {
      const { database, folder, keys } = history
      return await lostRecords({ log: openLog(), database, folders: [folder], verifier: keys.verifier })
    }
    const read = async (partition: number): Promise<LogRecord[]> => {
      const log = openLog()
      const to = await log.endOffset(TOPIC, partition)
      const records: LogRecord[] = []
      for await (const page of log.read({ topic: TOPIC, partition, from: 0, to })) records.push(...page)
      return records
    }
    /** Deletes the topic and recreates it with these records. */
    const rewrite = async (records: readonly LogRecord[]): Promise<void> => {
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
      await history.append(5)
      await history.checkpoint()
      expect([await compared(), await lost()]).toEqual([[], null])
    })

    test('a topic that was made anew is missing its records, and a start is refused', async () => {
      await rewrite([])
      expect(await compared()).toEqual([
        { kind: 'missing', partition: 0, from: 0, to: RECORDS },
        { kind: 'missing', partition: 1, from: 0, to: 10 },
      ])
      expect(await lost()).toMatch(/ends at offset 0, and its records up to \d+ were signed/)
    })

    test('a topic that lost its last records is missing them', async () => {
      const [long, short] = [await read(0), await read(1)]
      await rewrite([...long.slice(0, -1), ...short])
      expect(await compared()).toEqual([{ kind: 'missing', partition: 0, from: 599, to: RECORDS }])
      expect(await lost()).toContain(`ends at offset ${RECORDS - 1}`)
    })

    test('a record that was written again with another value is named within 256 records', async () => {
      const [long, short] = [await read(0), await read(1)]
      long[300] = { ...long[300]!, value: Buffer.from('green') }
      await rewrite([...long, ...short])
      expect(await compared()).toEqual([{ kind: 'changed', partition: 0, from: 256, to: 512 }])
      // The end is the signed one, so a start finds no fault; only a verification finds it.
      expect(await lost()).toBeNull()
    })
  },
)
