/** What a look at the log found wrong. */

export type ProblemKind =
  /** No event of a known schema. */
  | 'undecodable'
  /** The first records of the partition are gone. */
  | 'truncated'
  /** A record was taken out, or the log is shorter than it says. */
  | 'gap'
  /** The report is not what its hash was taken of, or says something else than its record. */
  | 'report-hash'
  | 'report-contents'
  /** A report that is not in the partition its id names, or under another key. */
  | 'misplaced'
  /** Two events under one id that say different things. */
  | 'id-reused'
  /** The read model answers with something else than the first record. */
  | 'read-model'

export interface Problem {
  readonly kind: ProblemKind
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** A sentence. */
  readonly detail: string
}
