/** The certificate of a broker expires and is replaced. Connections end with it, as they do when a broker is restarted. */
import { anyOf, type FaultKind } from '../fault.js'

export const certificates: readonly FaultKind[] = [
  {
    name: 'certificate expired',
    async begin({ cluster, authority }, random) {
      const { relay } = anyOf(random, cluster.brokers)
      const expired = await authority.issue('expired')
      relay.useCertificate(expired)
      relay.reset()
      return async () => relay.useCertificate(await authority.issue('in force'))
    },
  },
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
