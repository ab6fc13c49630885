/** The addresses that the benchmark screens: half of them labelled, half unknown. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mulberry32 } from './load.js'

export interface ScreenBody {
  readonly address: string
  readonly chain: string
  readonly customer_reference?: string
}

/** Addresses of a run; a longer run starts again with the first. */
const BODIES = 20_000

/** Well-known addresses, used when there are no label files. */
const wellKnown: readonly ScreenBody[] = [
  { address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'ETH' },
  { address: '0x28C6c06298d514Db089934071355E5743bf21d60', chain: 'ETH' },
  { address: '34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo', chain: 'BTC' },
]

export async function benchmarkBodies(labelFolder: string | null): Promise<readonly ScreenBody[]> {
  const labelled = labelFolder === null ? wellKnown : await readLabelled(labelFolder)
  const random = mulberry32(1)
  return Array.from({ length: BODIES }, (_, index) =>
    index % 2 === 0
      ? labelled[Math.floor(random() * labelled.length)]!
      : { address: unlisted(random), chain: 'ETH' },
  )
}

function unlisted(random: () => number): string {
  return `0x${Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('')}`
}

/** Address and chain are the first two columns of the label files and never quoted. */
async function readLabelled(folder: string): Promise<ScreenBody[]> {
  const bodies: ScreenBody[] = []
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.csv')).sort()) {
    const lines = (await readFile(join(folder, file), 'utf8')).split('\n').slice(1)
    for (const line of lines) {
      const [address, chain] = line.split(',', 2)
      if (address !== undefined && chain !== undefined && address !== '') bodies.push({ address, chain })
    }
  }
  return bodies
}
