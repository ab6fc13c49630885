/** An archive of a log on a real broker, and a log on a real broker that is restored from it. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventLog } from '@cupel/event-log'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { createSigningKeys, readSigningKeys, type SigningKeys } from '@cupel/signing'
import { testKafka } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openFolderStore, readManifests, restoreArchive } from '../src/index.js'
import { check, OTHER_TOPIC, recordsOf, runCreate, TOPIC, topics } from './archived-log.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: 600_000 },
  () => {
    let home: string
    let folder: string
    let keys: SigningKeys
    const opened: EventLog[] = []
    beforeEach(() => {
      home = mkdtempSync(join(tmpdir(), 'cupel-archive-kafka-'))
      folder = join(home, 'archive')
      createSigningKeys(join(home, 'keys.json'))
      keys = readSigningKeys(join(home, 'keys.json'))
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((log) => log.close()))
      rmSync(home, { recursive: true, force: true })
    })

    async function openLog(): Promise<EventLog> {
      const topicPrefix = `archive-${randomBytes(6).toString('hex')}.`
      const log = openKafkaLog({ ...testKafka(), clientId: 'archive', topicPrefix })
      opened.push(log)
      await log.ensureTopics(topics)
      return log
    }

    const append = (log: EventLog, count: number, topic: string, partition: number): Promise<unknown> =>
      log.append(
        'test',
        Array.from({ length: count }, (_, index) => ({
          ...{ topic, partition, key: `key ${index}`, value: randomBytes(20) },
          headers: { ce_time: '2026-11-23T02:00:00.000Z', 'x-ü': '', b: 'later', a: 'first' },
        })),
      )

    const restoring = async (log: EventLog) => {
      const store = openFolderStore(folder)
      const { contents } = await readManifests(store, keys.verifier)
      return await restoreArchive({ store, contents, log, topics: topics.map(({ name }) => name) })
    }

    test('holds every record exactly, goes on with what is new, and gives another cluster the same offsets', async () => {
      const log = await openLog()
      await append(log, 70, TOPIC, 0)
      await append(log, 3, TOPIC, 2)
      await append(log, 41, OTHER_TOPIC, 0)
      expect(await runCreate({ log, keys, folder })).toMatchObject({ records: 114 })
      expect(await check(folder, keys)).toMatchObject({ faults: [], records: await recordsOf(log) })
      const copy = await openLog()
      expect(await restoring(copy)).toMatchObject({ records: 114, present: 0 })
      expect(await recordsOf(copy)).toEqual(await recordsOf(log))

      await append(log, 5, TOPIC, 0)
      expect(await runCreate({ log, keys, folder })).toMatchObject({ records: 5 })
      expect(await restoring(copy)).toMatchObject({ records: 5, present: 114 })
      expect(await recordsOf(copy)).toEqual(await recordsOf(log))

      // Topics with another prefix are another log.
      await expect(runCreate({ log: copy, keys, folder })).rejects.toThrow('is an archive of the log')
      await append(copy, 1, TOPIC, 0)
      await expect(restoring(copy)).rejects.toThrow(
        `${TOPIC}/0 has 76 records in the log and 75 in the archive`,
      )
    })
  },
)
