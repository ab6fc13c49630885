/**
 * Imported for its effect. kafkajs 2.2.4 asks another of the configured brokers only where one refuses the connection. One that accepts it
 * and hangs up, or answers nothing, is asked again and again, so that a service could not start beside it. Source: kafkajs,
 * cluster/brokerPool.js.
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
