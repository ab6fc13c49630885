/** The network to a dependency: connections are reset, hold everything back, are slow, or are silent for good. */
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
  // A broker that is lost for its peers costs them half a minute by settings of their own.
  ...kindsOf(['drop', 'stall', 'slow'], (word, how) => ({
    name: `broker ${word}`,
    begin: async ({ cluster }, random) => ending(anyOf(random, cluster.brokers).cutOff(how)),
  })),
  // It goes on to lead its partitions.
  ...kindsOf(['drop', 'stall', 'lose'], (word, how) => ({
    name: `broker ${word} for clients alone`,
    begin: async ({ cluster }, random) => ending(anyOf(random, cluster.brokers).cutOff(how, 'clients')),
  })),
  // Clients reach a leader of before, which no other broker follows any more.
  ...kindsOf(['drop', 'stall'], (word, how) => ({
    name: `broker ${word} for its peers alone`,
    begin: async ({ cluster }, random) => ending(anyOf(random, cluster.brokers).cutOff(how, 'peers')),
  })),
  ...(['postgres', 'registry'] as const).flatMap((dependency) =>
    kindsOf(['drop', 'stall', 'slow', 'lose'], (word, how) => ({
      name: `${dependency === 'postgres' ? 'Postgres' : dependency} ${word}`,
      begin: async (installation) => ending(installation[dependency].relay.impair(how)),
    })),
  ),
  // One process, while the others of its kind reach everything.
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
