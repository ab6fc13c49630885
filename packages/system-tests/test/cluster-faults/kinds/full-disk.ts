/** A volume without a free byte. The test restarts every process that ended because of it when there is room. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../../src/random.js'
import type { SmallVolume } from '../../../src/small-volume.js'
import { anyOf, type FaultKind } from '../fault.js'
import type { Installation } from '../installation.js'

/** Other programs use the space that a server frees. */
const REFILL_MS = 50

export const fullDisks: readonly FaultKind[] = [
  full('broker', ({ cluster }, random) => anyOf(random, cluster.brokers)),
  full('Postgres', ({ postgres }) => postgres),
  // The services write only their logs there, and these may have gaps.
  full('services', ({ serviceVolume, services }) => ({
    volume: serviceVolume,
    start: async () => void (await Promise.all(services.map((each) => each.start()))),
  })),
]

interface OnVolume {
  readonly volume: SmallVolume | null
  start(): Promise<void>
}

function full(what: string, choose: (installation: Installation, random: Random) => OnVolume): FaultKind {
  return {
    name: `${what} with a full disk`,
    hindrance: ({ noVolumes }) => noVolumes,
    async begin(installation, random) {
      const member = choose(installation, random)
      const volume = member.volume!
      volume.fill()
      const refilling = setInterval(() => volume.fill(), REFILL_MS)
      return async () => {
        clearInterval(refilling)
        volume.makeRoom()
        await pause(0)
        await member.start()
      }
    },
  }
}
