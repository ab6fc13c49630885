/** The drill of an older database on a real broker: no event of the log is repeated. */
import { randomBytes } from 'node:crypto'
import { databaseBehindLog } from '@cupel/gate/access'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { testKafka } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { drillOfEachTest } from '../drill-of-each-test.js'
import { job, screen, settled } from '../drill.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
const topicPrefix = `restore-${randomBytes(6).toString('hex')}.`

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: 600_000 },
  () => {
    const drill = drillOfEachTest({
      openLog: () => openKafkaLog({ ...testKafka(), clientId: 'restore', topicPrefix }),
    })

    test('a database that is older than the log is led past everything that the log tells', async () => {
      await drill.begin()
      const backup = await drill.installation.backUp()
      await drill.installation.run(async (running) => {
        await screen(running, drill.customer, drill.answered)
        await job(running, drill.customer, drill)
        await settled(running)
      })
      await drill.installation.putBack(backup)
      expect(await drill.installation.opened(databaseBehindLog)).not.toBeNull()
      expect(await drill.installation.restore()).toMatchObject({
        ...{ mayStart: true, isOlderDatabase: true, lost: [] },
      })
      await drill.goesOn()
    })
  },
)
