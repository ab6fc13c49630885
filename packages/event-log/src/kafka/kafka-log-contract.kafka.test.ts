import { silentLogger } from '@cupel/contracts'
import { testKafka } from '@cupel/testkit'
import { describe } from 'vitest'
import { eventLogContract } from '../event-log.contract.js'
import { openKafkaLog } from './kafka-log.js'
import { deleteRecordsBefore } from './topics.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    eventLogContract('The log on Kafka', async () => {
      const access = testKafka()
      const connection = { ...access, clientId: 'contract-admin', logger: silentLogger }
      return {
        open: async ({ topicPrefix } = {}) =>
          openKafkaLog({
            ...access,
            clientId: 'contract',
            ...(topicPrefix === undefined ? {} : { topicPrefix }),
          }),
        deleteBefore: async ({ topic, partition, offset }) =>
          await deleteRecordsBefore(connection, { wireTopic: topic, partition, offset }),
        childModule: new URL('./child-log.contract.ts', import.meta.url),
        childConfig: JSON.stringify(access),
        release: async () => undefined,
      }
    })
  },
)
