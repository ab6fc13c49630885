/** An attack: an action of a hostile caller on a running installation, with the limit that it must not pass. */
import type { PlaceName } from './places.js'
import type { Target } from './target.js'

export const threats = ['cost', 'identity', 'forgery', 'exposure', 'anything'] as const

export interface Attack {
  /** The action of the attacker, in a few words. Names are unique. */
  readonly name: string
  readonly threat: (typeof threats)[number]
  /** Absent: it is made on every target. */
  readonly place?: PlaceName
  /** Whether it takes so long that short runs leave it out. */
  readonly isLong?: true
  /** Why the attack is not possible on this machine; null if it is possible. Absent: on every machine. */
  readonly hindrance?: () => string | null
  /** Rejects only if the attack could not be made. It leaves the installation as usable as before. */
  run(target: Target): Promise<Outcome>
}

/** One row of the table. `limit` and `measured` are read side by side. */
export interface Outcome {
  readonly limit: string
  readonly measured: string
  readonly held: boolean
}

export interface AttackRow extends Omit<Outcome, 'held'> {
  readonly target: string
  readonly attack: string
  /** Null: the attack was not made. */
  readonly held: boolean | null
}

/** The table that `npm run attack` prints. */
export function attackTable(rows: readonly AttackRow[]): string {
  const columns = ['target', 'attack', 'limit', 'measured', 'held'] as const
  const cells = rows.map((row) => columns.map((column) => text(row[column])))
  const widths = columns.map((name, at) => Math.max(name.length, ...cells.map((line) => line[at]!.length)))
  return [columns, ...cells]
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join(' | ')
        .trimEnd(),
    )
    .join('\n')
}

function text(value: string | boolean | null): string {
  if (value === null) return '-'
  return typeof value === 'string' ? value : value ? 'yes' : 'NO'
}
