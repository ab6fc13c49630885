/**
 * Imported for its effect. kafkajs 2.2.4 tries another configured broker only if one refuses the connection. It retries a broker that
 * accepts the connection and hangs up, or that does not answer, again and again, so that a service could not start with such a broker.
 * Source: kafkajs, cluster/brokerPool.js.
 */
import { BrokerPool } from './kafkajs.js'

BrokerPool.prototype.connect = async function connectToAny() {
  if (this.hasConnectedBrokers()) return
  if (this.seedBroker === undefined) await this.createSeedBroker()
  await this.retrier(async (bail) => {
    try {
      await this.seedBroker!.connect()
      this.versions = this.seedBroker!.versions
    } catch (error) {
      await this.createSeedBroker()
      if ((error as { readonly retriable?: boolean }).retriable === true) throw error
      bail(error)
    }
  })
}
