/** Certificates of brokers and of Postgres expire and are replaced. Connections end with them, as at a restart of the server. */
import type { Random } from '../../../src/random.js'
import { anyOf, type FaultKind } from '../fault.js'
import type { Installation } from '../installation.js'
import type { Relay } from '../relay.js'

export const certificates: readonly FaultKind[] = [
  expired('certificate', (installation, random) => [anyOf(random, ofBrokers(installation))]),
  expired('certificates of all brokers', ofBrokers),
  expired('certificate of Postgres', ({ postgres }) => [postgres.relay]),
  {
    name: 'certificate replaced',
    async begin(installation, random) {
      const { authority, postgres } = installation
      const relay = anyOf(random, [postgres.relay, ...ofBrokers(installation)])
      relay.useCertificate(await authority.issue('in force'))
      relay.reset()
      return async () => undefined
    },
  },
]

function ofBrokers({ cluster }: Installation): readonly Relay[] {
  return cluster.brokers.map(({ relay }) => relay)
}

function expired(
  what: string,
  choose: (installation: Installation, random: Random) => readonly Relay[],
): FaultKind {
  return {
    name: `${what} expired`,
    async begin(installation, random) {
      const { authority } = installation
      const relays = choose(installation, random)
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
