/** The cut of the log on a real broker: its records are deleted there, and read on from the archive. */
import { randomBytes } from 'node:crypto'
import { reportPartition, topicOf } from '@cupel/contracts'
import { openAuthenticLog } from '@cupel/event-log'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { withArchivedFront } from '@cupel/operation/connections'
import { loadConfig } from '@cupel/kit/service'
import { testKafka, until } from '@cupel/testkit'
import { testRecordKeys } from '@cupel/testkit/installation'
import { describe, expect, test } from 'vitest'
import { callCupel } from '../command-line.js'
import { kafkaSettings } from '../kafka-settings.js'
import { openRetired } from './retired.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
const topicPrefix = `retention-${randomBytes(6).toString('hex')}.`
const openLog = () => openKafkaLog({ ...testKafka(), clientId: 'retention', topicPrefix })

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: 300_000 },
  () => {
    test('records before the cut are gone from the broker, and everything is read and verified as before', async () => {
      const own = await openRetired({
        settings: { ...kafkaSettings(testKafka()), CUPEL_TOPIC_PREFIX: topicPrefix },
        openLog,
      })
      try {
        const settings = { ...own.environment, CUPEL_RETENTION_ARCHIVE: own.archive }
        const cupel = (...args: string[]) => callCupel(settings, args)
        const apply = async (...options: string[]) => {
          const months = ['--before', '2024-02', '--accept', '1', '--reason', 'older than a year']
          const said = await cupel('retention', 'apply', own.archive, ...months, ...options)
          expect([said.error, said.exitCode], said.out).toEqual([null, 0])
        }
        await apply()
        await apply('--log')
        const topic = topicOf('ReportGenerated')
        expect(await own.log.startOffset(topic, reportPartition(own.old.reportId))).toBe(1)
        await expect(own.read(own.old)).rejects.toThrow('was cut from the log')
        const { database } = own
        const log = withArchivedFront(openLog(), { config: loadConfig(settings), database })
        const whole = await openAuthenticLog({ log, database, keys: testRecordKeys })
        own.onClose(() => whole.close())
        expect(await own.read(own.old, whole)).toBe(own.old.report)
        expect(await own.read(own.present, whole)).toBe(own.present.report)
        await until(async () => expect(await own.retired()).toHaveLength(2))
        await own.keep()
        const verified = await cupel('audit', 'verify')
        expect(verified.exitCode, verified.out).toBe(0)
        const rebuilt = await cupel('audit', 'replay', '--target', 'report-view', '--json')
        expect(JSON.parse(rebuilt.out)).toMatchObject({ differences: 0, switched: true })
      } finally {
        await own.close()
      }
    })
  },
)
