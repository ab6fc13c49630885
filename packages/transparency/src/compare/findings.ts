import type { Place } from '@cupel/event-log'
/** The findings of a comparison of the transparency log, with their places. */

export type LeafProblemKind =
  /** A record of the installation, older than the last leaf of its partition, has no leaf. */
  | 'no-leaf'
  /** A leaf belongs to a record that the log does not have. */
  | 'no-record'
  /** The record does not have the salted hash of its leaf: key, headers, value or place differ. */
  | 'other-record'
  /** The log gives the record another time than when the leaf was made. */
  | 'other-time'
  /** The report, or the entry of a case, does not have the salted hash of its leaf, or the row of the leaf is not its own. */
  | 'other-document'
  /** A leaf belongs to a record before that of an earlier leaf of its partition. */
  | 'leaf-order'

export interface LeafProblem extends Place {
  readonly kind: LeafProblemKind
  /** Offset of the first record. */
  readonly offset: number
  /** Offset after the last record: problems of neighbours are merged. */
  readonly to: number
  /** Index of the first leaf; null if there is none. */
  readonly index: number | null
}

export interface Findings {
  /** A sentence about a file or a row. */
  fault(sentence: string): void
  problem(problem: Omit<LeafProblem, 'to'>): void
  readonly faults: readonly string[]
  readonly problems: readonly LeafProblem[]
  /** Number of records with a problem, and of faults. */
  count(): number
}

/** Neighbours with the same problem are reported as a range. At most `max` problems and `max` faults are listed; all are counted. */
export function createFindings(max: number): Findings {
  const problems: LeafProblem[] = []
  const faults: string[] = []
  let count = 0
  return {
    faults,
    problems,
    count: () => count,
    fault(sentence) {
      count += 1
      if (faults.length < max) faults.push(sentence)
    },
    problem(found) {
      count += 1
      const last = problems.at(-1)
      if (last !== undefined && isNext(last, found))
        problems[problems.length - 1] = { ...last, to: last.to + 1 }
      else if (problems.length < max) problems.push({ ...found, to: found.offset + 1 })
    },
  }
}

const isNext = (last: LeafProblem, found: Omit<LeafProblem, 'to'>): boolean =>
  last.kind === found.kind &&
  last.topic === found.topic &&
  last.partition === found.partition &&
  last.to === found.offset
