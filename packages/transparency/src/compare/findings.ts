/** What a comparison of the transparency log finds, with its place. */
import type { Place } from '@cupel/checkpoints'

export type LeafProblemKind =
  /** A record of the installation, older than the last leaf of its partition, has no leaf. */
  | 'no-leaf'
  /** A leaf is of a record that the log does not have. */
  | 'no-record'
  /** The record has another event id than its leaf. */
  | 'other-event'
  /** The record's value does not have the salted hash of its leaf. */
  | 'other-value'
  /** The report does not have the salted hash of its leaf, or only one of both is one of a report. */
  | 'other-report'
  /** A leaf is of a record that an earlier leaf of its partition is behind. */
  | 'leaf-order'

export interface LeafProblem extends Place {
  readonly kind: LeafProblemKind
  /** Of the first record. */
  readonly offset: number
  /** Behind the last record: problems of neighbours are one. */
  readonly to: number
  /** Of the first leaf; null where there is none. */
  readonly index: number | null
}

export interface Findings {
  /** A sentence about a file or a row. */
  fault(sentence: string): void
  problem(problem: Omit<LeafProblem, 'to'>): void
  readonly faults: readonly string[]
  readonly problems: readonly LeafProblem[]
  /** Records with a problem, and faults. */
  count(): number
}

/** Neighbours with one problem are told as a range, and at most `max` problems and as many faults are told; all are counted. */
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
