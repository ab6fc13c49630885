/**
 * Imported for its effect: leaders are asked of brokers that answer. A broker that hangs keeps its connections and answers nothing, and
 * kafkajs 2.2.4 would ask it as often as any other one, and wait for it. Source: kafkajs, cluster/brokerPool.js.
 */
import { BrokerPool, type Broker, type BrokersKnown, type ClusterMetadata } from './kafkajs.js'
import { overdueMs } from './overdue.js'

/** The next broker is asked too after this. */
const PATIENCE_MS = 500

const findConnectedBroker = BrokerPool.prototype.findConnectedBroker
BrokerPool.prototype.findConnectedBroker = async function findAnsweringBroker(this: BrokersKnown) {
  const brokers = bestFirst(Object.values(this.brokers))
  if (brokers.length === 0) return await findConnectedBroker.call(this)
  const ask = async ({ nodeId }: Broker, topics: readonly string[]): Promise<ClusterMetadata> =>
    (await this.findBroker({ nodeId })).metadata(topics)
  return { metadata: (topics) => firstAnswer(brokers, (broker) => ask(broker, topics)) }
}

/** Connected brokers that answer, then those without a connection, then silent ones; each kind in an order of chance. */
function bestFirst(brokers: readonly Broker[]): Broker[] {
  const rank = (broker: Broker): number =>
    overdueMs(broker) >= PATIENCE_MS
      ? 2
      : broker.connectionPool.pool.some((each) => each.isConnected())
        ? 0
        : 1
  return brokers
    .map((broker) => ({ broker, rank: rank(broker) + Math.random() / 2 }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ broker }) => broker)
}

/** Asks one after the other, without waiting long for any. Rejects with the last error if all reject. */
export function firstAnswer<C, T>(candidates: readonly C[], ask: (candidate: C) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const left = [...candidates]
    let open = 0
    let timer: NodeJS.Timeout | undefined
    const askNext = (): void => {
      clearTimeout(timer)
      const candidate = left.shift()
      if (candidate === undefined) return
      open += 1
      timer = setTimeout(askNext, PATIENCE_MS)
      ask(candidate).then(
        (answer) => {
          clearTimeout(timer)
          left.length = 0
          resolve(answer)
        },
        (error: Error) => {
          open -= 1
          if (left.length > 0) return askNext()
          if (open > 0) return
          clearTimeout(timer)
          reject(error)
        },
      )
    }
    askNext()
  })
}
