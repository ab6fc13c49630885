/** A problem that the verification of the log found. */

export type ProblemKind =
  /** No event of a known schema. */
  | 'undecodable'
  /** The first records of the partition are gone. */
  | 'truncated'
  /** A record was removed, or the log is shorter than its end offset. */
  | 'gap'
  /** Another producer wrote the record. No reader counts it. */
  | 'forged'
  /** The report carries no signature where one is required. */
  | 'unsigned'
  /** Its signature is not one of a key that counts there, or is of something else. */
  | 'signature'
  /** The report does not match its hash, or contradicts its record. */
  | 'report-hash'
  | 'report-contents'
  /** A report that is not in the partition its id names, or under another key. */
  | 'misplaced'
  /** Two events with one id and different contents. */
  | 'id-reused'
  /** The read model returns something other than the first record. */
  | 'read-model'

export interface Problem {
  readonly kind: ProblemKind
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** A sentence. */
  readonly detail: string
}
