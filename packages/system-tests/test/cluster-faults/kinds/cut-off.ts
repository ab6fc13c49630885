/** Faults of the network to a dependency: connections are reset, hold everything back, are slow, or stay silent. */
import { anyOf, type FaultKind } from '../fault.js'
import type { Installation } from '../installation.js'
import type { Impairment, Relay } from '../relay.js'

const words = {
  drop: 'cut off',
  stall: 'out of reach',
  slow: 'slow',
  lose: 'silent',
} as const satisfies Record<Impairment, string>

export const cutOffs: readonly FaultKind[] = [
  // When peers lose a broker, their own settings cost them half a minute.
  ...kindsOf(['drop', 'stall', 'slow'], (word, how) => ({
    name: `broker ${word}`,
    begin: async ({ cluster }, random) => ending(anyOf(random, cluster.brokers).cutOff(how)),
  })),
  // The broker continues to lead its partitions.
  ...kindsOf(['drop', 'stall', 'lose'], (word, how) => ({
    name: `broker ${word} only for clients`,
    begin: async ({ cluster }, random) => ending(anyOf(random, cluster.brokers).cutOff(how, 'clients')),
  })),
  // Clients reach a former leader, which no other broker follows any more.
  ...kindsOf(['drop', 'stall'], (word, how) => ({
    name: `broker ${word} only for its peers`,
    begin: async ({ cluster }, random) => ending(anyOf(random, cluster.brokers).cutOff(how, 'peers')),
  })),
  ...(['postgres', 'registry'] as const).flatMap((dependency) =>
    kindsOf(['drop', 'stall', 'slow', 'lose'], (word, how) => ({
      name: `${dependency === 'postgres' ? 'Postgres' : dependency} ${word}`,
      begin: async (installation) => ending(installation[dependency].relay.impair(how)),
    })),
  ),
  // The fault hits one process; the others of its kind reach everything.
  ...kindsOf(['drop', 'stall', 'lose'], (word, how) => ({
    name: `all ${word} for one service`,
    async begin(installation, random) {
      const { name } = anyOf(random, installation.services)
      const ends = relaysOfServices(installation).map((relay) =>
        relay.impair(how, (caller) => caller === name),
      )
      return ending(() => ends.forEach((end) => end()))
    },
  })),
]

function kindsOf(
  ways: readonly Impairment[],
  kind: (word: string, how: Impairment) => FaultKind,
): readonly FaultKind[] {
  return ways.map((how) => kind(words[how], how))
}

const relaysOfServices = ({ postgres, cluster }: Installation): readonly Relay[] => [
  postgres.relay,
  ...cluster.brokers.map(({ relay }) => relay),
]

const ending = (end: () => void) => async (): Promise<void> => end()
