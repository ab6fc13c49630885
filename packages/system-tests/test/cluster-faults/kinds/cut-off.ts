/** The network to a dependency: connections are reset, hold everything back, or are slow. */
import { anyOf, type FaultKind } from '../fault.js'
import { impairments, type Impairment } from '../relay.js'

const words = {
  drop: 'cut off',
  stall: 'out of reach',
  slow: 'slow',
} as const satisfies Record<Impairment, string>

export const cutOffs: readonly FaultKind[] = impairments.flatMap((how): FaultKind[] => [
  {
    name: `broker ${words[how]}`,
    async begin({ cluster }, random) {
      const end = anyOf(random, cluster.brokers).cutOff(how)
      return async () => end()
    },
  },
  {
    name: `Postgres ${words[how]}`,
    async begin({ postgres }) {
      const end = postgres.relay.impair(how)
      return async () => end()
    },
  },
  {
    name: `registry ${words[how]}`,
    async begin({ registry }) {
      const end = registry.relay.impair(how)
      return async () => end()
    },
  },
])
