import { silentLogger } from '@cupel/contracts'
import { deleteRecordsBefore, openKafkaLog } from '@cupel/event-log/kafka'
import { testKafka } from '@cupel/testkit'
import { describe } from 'vitest'
import { consumeContract } from './consume-contract.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    consumeContract({
      migrations: [],
      open: () => openKafkaLog({ ...testKafka(), clientId: 'consume-contract' }),
      deleteBefore: async (_, { topic, partition, offset }) =>
        await deleteRecordsBefore(
          { ...testKafka(), clientId: 'consume-contract-admin', logger: silentLogger },
          { wireTopic: topic, partition, offset },
        ),
    })
  },
)
