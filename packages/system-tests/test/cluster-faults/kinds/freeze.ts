/** SIGSTOP: the process keeps its connections and answers nothing. Afterwards it continues as if no time had passed. */
import type { Random } from '../../../src/random.js'
import { anyOf, type FaultKind } from '../fault.js'
import type { Installation } from '../installation.js'
import type { Member } from '../member.js'

export const freezes: readonly FaultKind[] = [
  frozen('broker', ({ cluster }, random) => anyOf(random, cluster.brokers)),
  frozen('Postgres', ({ postgres }) => postgres),
  frozen('registry', ({ registry }) => registry),
  frozen('service', ({ services }, random) => anyOf(random, services)),
]

function frozen(what: string, choose: (installation: Installation, random: Random) => Member): FaultKind {
  return {
    name: `${what} frozen`,
    async begin(installation, random) {
      const member = choose(installation, random)
      member.freeze()
      return async () => member.thaw()
    },
  }
}
