/** The addresses that the benchmark screens: half of them labelled by the starter labels, half unknown. */
import { seededRandom } from '@cupel/system-tests'

export interface ScreenBody {
  readonly address: string
  readonly chain: string
}

/** Addresses of a run; a longer run starts again with the first. */
const BODIES = 20_000

const labelled: readonly ScreenBody[] = [
  { address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'ETH' },
  { address: '0x28C6c06298d514Db089934071355E5743bf21d60', chain: 'ETH' },
  { address: '34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo', chain: 'BTC' },
]

export function benchmarkBodies(): readonly ScreenBody[] {
  const random = seededRandom(1).next
  const digit = (): string => Math.floor(random() * 16).toString(16)
  return Array.from({ length: BODIES }, (_, index) =>
    index % 2 === 0
      ? labelled[(index / 2) % labelled.length]!
      : { address: `0x${Array.from({ length: 40 }, digit).join('')}`, chain: 'ETH' },
  )
}
