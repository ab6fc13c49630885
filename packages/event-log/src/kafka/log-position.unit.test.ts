/** The end of a partition as reported by a former leader that its peers cannot reach. */
import { expect, test } from 'vitest'
import type { Connection } from './connection.js'
import type { Cluster } from './kafkajs.js'
import { logPositions, type LogPositions } from './log-position.js'

const TOPIC = 'screening.report.events.v1'
const [BEFORE, NOW] = [1, 2]
/** The end of the partition that each broker reports. The start offset is the same; no test uses it. */
const ENDS: Readonly<Record<number, number>> = { [BEFORE]: 5, [NOW]: 9 }

test('a checkpoint beyond the end of a leader of before is compared with that of the present one', async () => {
  const positions = positionsOf({ firstTold: BEFORE, toldLater: NOW })
  expect(await positions.verify({ wireTopic: TOPIC, partition: 0 }, { next: 9, log: 'log' })).toMatchObject({
    endOffset: 9,
  })
})

test('a checkpoint that lies beyond the end for every broker stops its reader', async () => {
  const positions = positionsOf({ firstTold: NOW, toldLater: NOW })
  const verified = positions.verify({ wireTopic: TOPIC, partition: 0 }, { next: 10, log: 'log' })
  await expect(verified).rejects.toMatchObject({ reason: 'beyond-end' })
})

/** Positions in a cluster whose brokers first name one leader, and the other one when asked again. */
function positionsOf({ firstTold, toldLater }: { firstTold: number; toldLater: number }): LogPositions {
  let leader = firstTold
  const cluster = {
    brokerPool: {
      get metadata() {
        return {
          topicMetadata: [{ topic: TOPIC, error: 0, partitionMetadata: [{ partitionId: 0, leader }] }],
        }
      },
    },
    findBroker: async ({ nodeId }: { nodeId: number }) => ({
      connectionPool: {
        send: async () => [{ topic: TOPIC, partition: 0, error: 0, offset: ENDS[nodeId] }],
      },
    }),
  } as unknown as Cluster
  const connection = {
    cluster: async () => cluster,
    current: () => cluster,
    refresh: async () => void (leader = toldLater),
  } as unknown as Connection
  return Object.assign(logPositions(connection, ''), { identity: async () => 'log' })
}
