import { silentLogger } from '@cupel/contracts'
import { describe } from 'vitest'
import { eventLogContract } from '../event-log.contract.js'
import { openKafkaLog } from './kafka-log.js'
import { deleteRecordsBefore } from './topics.js'

const brokers = process.env['CUPEL_TEST_KAFKA_BROKERS']
const missing = process.env['CUPEL_TEST_KAFKA_MISSING']

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    eventLogContract('The log on Kafka', async () => {
      if (brokers === undefined)
        throw new Error('CUPEL_TEST_KAFKA_BROKERS is not set: this test belongs to the project kafka')
      const connection = { brokers: [brokers], clientId: 'contract-admin', logger: silentLogger }
      return {
        open: async ({ topicPrefix } = {}) =>
          openKafkaLog({
            brokers,
            clientId: 'contract',
            ...(topicPrefix === undefined ? {} : { topicPrefix }),
          }),
        deleteBefore: async ({ topic, partition, offset }) =>
          await deleteRecordsBefore(connection, { wireTopic: topic, partition, offset }),
        childModule: new URL('./child-log.contract.ts', import.meta.url),
        childConfig: brokers,
        release: async () => undefined,
      }
    })
  },
)
