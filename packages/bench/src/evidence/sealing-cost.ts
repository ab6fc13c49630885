/** The cost of sealing for a screen: CPU and latency without a customer reference, with a known one, and with a new one. By turns. */
import type { LoadPhase, LoadResult } from '../load.js'
import type { ScreenBody } from '../addresses.js'

export type ReferenceKind = 'none' | 'known' | 'new'

export interface SealingTurn {
  readonly reference: ReferenceKind
  /** CPU of all processes of the installation, database and broker included. */
  readonly screenMicros: number
  readonly p95Ms: number
}

export interface SealingRow {
  readonly reference: ReferenceKind
  /** Medians of the turns. */
  readonly screenMicros: number
  readonly p95Ms: number
  /** CPU ÷ that of the turn without a reference in the same round: smallest, median and largest. */
  readonly ratio: readonly [number, number, number]
}

export const SEALING_ROUNDS = 6
/** References that customers of the account use again. */
const KNOWN = 1_000
const ORDERS: readonly (readonly ReferenceKind[])[] = [
  ['none', 'known', 'new'],
  ['new', 'known', 'none'],
  ['known', 'none', 'new'],
]

/** Bodies of a turn: no other turn has its new references. */
export function bodiesWith(
  bodies: readonly ScreenBody[],
  reference: ReferenceKind,
  round: number,
): readonly ScreenBody[] {
  if (reference === 'none') return bodies
  return bodies.map((body, index) => ({
    ...body,
    customer_reference:
      reference === 'known' ? `customer ${index % KNOWN}` : `new customer ${round}-${index}`,
  }))
}

/** `measure` runs a turn, and resolves to its result and the CPU seconds that the installation used for it. */
export async function sealingTurns(
  bodies: readonly ScreenBody[],
  phase: LoadPhase,
  measure: (
    bodies: readonly ScreenBody[],
    phase: LoadPhase,
  ) => Promise<{ readonly result: LoadResult; readonly cpuSeconds: number }>,
): Promise<readonly SealingTurn[]> {
  const turns: SealingTurn[] = []
  for (let round = 0; round < SEALING_ROUNDS; round += 1)
    for (const reference of ORDERS[round % ORDERS.length]!) {
      const { result, cpuSeconds } = await measure(bodiesWith(bodies, reference, round), phase)
      const screens = result.requests - result.errors
      turns.push({ reference, screenMicros: (cpuSeconds * 1_000_000) / screens, p95Ms: result.p95Ms })
    }
  return turns
}

export function sealingRows(turns: readonly SealingTurn[]): readonly SealingRow[] {
  const of = (kind: ReferenceKind): SealingTurn[] => turns.filter(({ reference }) => reference === kind)
  const without = of('none')
  return (['none', 'known', 'new'] as const).map((reference) => {
    const own = of(reference)
    const ratios = own.map(({ screenMicros }, round) => screenMicros / without[round]!.screenMicros)
    return {
      reference,
      screenMicros: median(own.map(({ screenMicros }) => screenMicros)),
      p95Ms: median(own.map(({ p95Ms }) => p95Ms)),
      ratio: [Math.min(...ratios), median(ratios), Math.max(...ratios)],
    }
  })
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
