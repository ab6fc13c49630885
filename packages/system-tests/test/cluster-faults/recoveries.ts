/** How long after a fault ended each thing that a customer notices worked again, as a table. */
import { noticed, type Noticed } from './load.js'

export interface Recovery {
  /** One kind, or two that overlapped. */
  readonly kinds: readonly string[]
  /** Milliseconds after the end of the last one. */
  readonly ms: Readonly<Record<Noticed, number>>
}

export function recoveryTable(recoveries: readonly Recovery[]): string {
  const kinds = [...new Set(recoveries.flatMap((each) => each.kinds))].sort()
  const rows = kinds.map((kind) => {
    const of = recoveries.filter((each) => each.kinds.includes(kind))
    const worst = noticed.map((what) => seconds(Math.max(...of.map(({ ms }) => ms[what]))))
    return [kind, String(of.length), ...worst]
  })
  return [['fault', 'count', ...noticed.map((what) => `worst ${what}`)], ...rows]
    .map(([name, ...cells]) => `${name!.padEnd(34)}${cells.map((cell) => cell.padStart(16)).join('')}`)
    .join('\n')
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
