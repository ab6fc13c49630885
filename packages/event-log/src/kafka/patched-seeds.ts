/**
 * Imported for its effect. kafkajs 2.2.4 tries another configured broker only if one refuses the connection. It retries a broker that
 * accepts the connection and hangs up, or that does not answer, again and again, so that a service could not start with such a broker.
 * Source: kafkajs, cluster/brokerPool.js.
 */
import { LATE, withinMs } from '@cupel/kit/concurrency'
import { BrokerPool, type Seed } from './kafkajs.js'

/** Another broker is tried too after this. */
const PATIENCE_MS = 1_000
type SeedPool = (typeof BrokerPool)['prototype']

BrokerPool.prototype.connect = async function connectToAny() {
  if (this.hasConnectedBrokers()) return
  if (this.seedBroker === undefined) await this.createSeedBroker()
  await this.retrier(async (bail) => {
    try {
      this.seedBroker = await firstConnected(this)
      this.versions = this.seedBroker.versions
    } catch (error) {
      await this.createSeedBroker()
      if ((error as { readonly retriable?: boolean }).retriable === true) throw error
      bail(error)
    }
  })
}

/** A broker that hangs accepts connections, and nothing follows. */
async function firstConnected(pool: SeedPool): Promise<Seed> {
  const first = pool.seedBroker!
  const connecting = first.connect()
  if ((await withinMs(PATIENCE_MS, connecting)) !== LATE) return first
  // The connection that is being made goes on: the next broker may not be quicker.
  pool.seedBroker = undefined
  await pool.createSeedBroker()
  const second = pool.seedBroker!
  const [winner, other] = await Promise.any([
    connecting.then(() => [first, second] as const),
    second.connect().then(() => [second, first] as const),
  ]).catch(({ errors }: AggregateError) => {
    throw errors[1]
  })
  other.disconnect().catch(() => undefined)
  return winner
}
