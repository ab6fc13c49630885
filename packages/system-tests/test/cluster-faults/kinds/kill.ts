/** SIGKILL: the process flushes nothing and notifies no other process. It is down for the length of the fault. */
import type { Random } from '../../../src/random.js'
import { anyOf, type FaultKind } from '../fault.js'
import type { Installation } from '../installation.js'
import type { Member } from '../member.js'

export const kills: readonly FaultKind[] = [
  killed('broker', ({ cluster }, random) => anyOf(random, cluster.brokers)),
  killed('Postgres', ({ postgres }) => postgres),
  killed('registry', ({ registry }) => registry),
  ...(['api', 'scorer', 'projector', 'bulk-coordinator', 'webhook-dispatcher'] as const).map((service) =>
    killed(service, ({ services }, random) =>
      anyOf(
        random,
        services.filter(({ name }) => name.startsWith(`${service}-`)),
      ),
    ),
  ),
]

function killed(what: string, choose: (installation: Installation, random: Random) => Member): FaultKind {
  return {
    name: `${what} killed`,
    async begin(installation, random) {
      const member = choose(installation, random)
      await member.kill()
      return () => member.start()
    },
  }
}
