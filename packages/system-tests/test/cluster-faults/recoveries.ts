/** A table of the time that each operation a customer notices took to work again after a fault ended. */
import { noticed, type Noticed } from './load.js'

export interface Recovery {
  /** One kind, or two kinds that overlapped. */
  readonly kinds: readonly string[]
  /** Milliseconds after the end of the last fault. */
  readonly ms: Readonly<Record<Noticed, number>>
  /** The same for the brokers: every partition has its leader and its replicas. Null if the customers were faster. */
  readonly clusterMs: number | null
}

export function recoveryTable(recoveries: readonly Recovery[]): string {
  const kinds = [...new Set(recoveries.flatMap((each) => each.kinds))].sort()
  const rows = kinds.map((kind) => {
    const of = recoveries.filter((each) => each.kinds.includes(kind))
    const worst = noticed.map((what) => seconds(Math.max(...of.map(({ ms }) => ms[what]))))
    return [
      kind,
      String(of.length),
      ...worst,
      seconds(Math.max(...of.map(({ clusterMs }) => clusterMs ?? 0))),
    ]
  })
  return [['fault', 'count', ...[...noticed, 'brokers'].map((what) => `worst ${what}`)], ...rows]
    .map(([name, ...cells]) => `${name!.padEnd(38)}${cells.map((cell) => cell.padStart(16)).join('')}`)
    .join('\n')
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
