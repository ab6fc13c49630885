/** The findings of a comparison of the transparency log, with their places and times. */
import type { Place } from '@cupel/event-log'

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
  /** The time of the record that has no leaf, or of the last leaf before this one whose record agrees; null if there is none. */
  readonly since: string | null
}

/** What is wrong with a row or a file. */
export interface TreeFault {
  /** A sentence. */
  readonly detail: string
  /** The time of the record of the last leaf that is not affected; null if nothing says it. */
  readonly since: string | null
}

export interface Findings {
  /** A sentence about a file or a row, and the first leaf that it affects, if it affects no earlier one. */
  fault(sentence: string, leaf?: number): void
  problem(problem: Omit<LeafProblem, 'to' | 'since'> & { readonly since?: string | null }): void
  /** `before`: the time of the last leaf before an index whose record agrees. */
  faults(before: TimeBefore): readonly TreeFault[]
  problems(before: TimeBefore): readonly LeafProblem[]
  /** Number of records with a problem, and of faults. */
  count(): number
}

/** ISO 8601; null if no such record agrees. */
export type TimeBefore = (leaf: number) => string | null

/** Neighbours with the same problem are reported as a range. At most `max` problems and `max` faults are listed; all are counted. */
export function createFindings(max: number): Findings {
  const problems: LeafProblem[] = []
  const faults: { readonly detail: string; readonly leaf: number | undefined }[] = []
  let count = 0
  return {
    faults: (before) =>
      faults.map(({ detail, leaf }) => ({ detail, since: leaf === undefined ? null : before(leaf) })),
    problems: (before) =>
      problems.map((each) => ({ ...each, since: each.index === null ? each.since : before(each.index) })),
    count: () => count,
    fault(detail, leaf) {
      count += 1
      if (faults.length < max) faults.push({ detail, leaf })
    },
    problem(found) {
      count += 1
      const last = problems.at(-1)
      if (last !== undefined && isNext(last, found))
        problems[problems.length - 1] = { ...last, to: last.to + 1 }
      else if (problems.length < max) problems.push({ since: null, ...found, to: found.offset + 1 })
    },
  }
}

const isNext = (last: LeafProblem, found: Omit<LeafProblem, 'to' | 'since'>): boolean =>
  last.kind === found.kind &&
  last.topic === found.topic &&
  last.partition === found.partition &&
  last.to === found.offset
