/** Kinds of tampering with evidence, and whether an audit finds each one and names its place. */
import type { Evidence } from './evidence.js'

export type Random = () => number

export interface Found {
  readonly isFound: boolean
  /** Whether the finding names the place. */
  readonly isNamed: boolean
  /** The change and the finding, for the message of a failure. */
  readonly detail: string
  /** Why nothing can show this change; absent or null if it must be found. */
  readonly outOfReach?: string | null
}

export interface Kind {
  readonly surface:
    | 'log'
    | 'views'
    | 'tables'
    | 'ledger'
    | 'transparency'
    | 'archive'
    | 'report and proof'
    | 'PDF'
  readonly name: string
  /** Its share of the trials, in relation to the weights of the other kinds. */
  readonly weight: number
  /** The auditor's command whose checks are run. */
  readonly command: string
  run(evidence: Evidence, random: Random): Promise<Found>
}

export const below = (random: Random, end: number): number => Math.floor(random() * end)

export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)]!
}

/** Returns the bytes with one bit flipped. */
export function flipped(random: Random, bytes: Uint8Array): Buffer {
  const changed = Buffer.from(bytes)
  changed[below(random, changed.length)]! ^= 1 << below(random, 8)
  return changed
}

/** The text with another digit in place of one of its digits. */
export function otherDigit(text: string, random: Random): string {
  const digits = [...text.matchAll(/\d/g)].map(({ index }) => index)
  const at = oneOf(random, digits)
  return `${text.slice(0, at)}${(Number(text[at]) + 1 + below(random, 8)) % 10}${text.slice(at + 1)}`
}
