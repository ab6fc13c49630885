/** Certificates of brokers expire and are replaced. Connections end with them, as they do when a broker is restarted. */
import type { Random } from '../../../src/random.js'
import type { Broker, Cluster } from '../cluster.js'
import { anyOf, type FaultKind } from '../fault.js'

export const certificates: readonly FaultKind[] = [
  expired('certificate', ({ brokers }, random) => [anyOf(random, brokers)]),
  expired('certificates of all brokers', ({ brokers }) => brokers),
  {
    name: 'certificate replaced',
    async begin({ cluster, authority }, random) {
      const { relay } = anyOf(random, cluster.brokers)
      relay.useCertificate(await authority.issue('in force'))
      relay.reset()
      return async () => undefined
    },
  },
]

function expired(what: string, choose: (cluster: Cluster, random: Random) => readonly Broker[]): FaultKind {
  return {
    name: `${what} expired`,
    async begin({ cluster, authority }, random) {
      const relays = choose(cluster, random).map(({ relay }) => relay)
      const certificate = await authority.issue('expired')
      for (const relay of relays) {
        relay.useCertificate(certificate)
        relay.reset()
      }
      return async () => {
        const renewed = await authority.issue('in force')
        for (const relay of relays) relay.useCertificate(renewed)
      }
    },
  }
}
