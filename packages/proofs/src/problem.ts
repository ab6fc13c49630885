/** A problem that the verification of the log found. */

export type ProblemKind =
  /** Not an event of a known schema. */
  | 'undecodable'
  /** The first records of the partition are gone. */
  | 'truncated'
  /** A record was removed, or the log is shorter than its end offset. */
  | 'gap'
  /** Another producer wrote the record. Readers ignore it. */
  | 'forged'
  /** The report carries no signature where one is required. */
  | 'unsigned'
  /** The key of its signature does not count at this position, or the signature is for other content. */
  | 'signature'
  /** The report does not match its hash, or contradicts its record. */
  | 'report-hash'
  | 'report-contents'
  /** A report that is not in the partition its id names, or has another key. */
  | 'misplaced'
  /** Two events with one id and different contents. */
  | 'id-reused'
  /** The read model does not return the first record. */
  | 'read-model'

export interface Problem {
  readonly kind: ProblemKind
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** A sentence. */
  readonly detail: string
}
