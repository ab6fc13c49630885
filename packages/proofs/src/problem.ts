/** A problem that the verification of the log found. */

import type { Position } from '@cupel/event-log'

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
  /** A row of a read model is not what the log states. */
  | 'read-model'
  /** A row of a primary table is not what its events state. */
  | 'table'
  /** A record of a topic that holds a state is not what the log states. */
  | 'state'

export interface Problem {
  readonly kind: ProblemKind
  /** Where the record is; null for a row. */
  readonly topic: string | null
  readonly partition: number | null
  readonly offset: number | null
  /** The table with the key of its row; null for a record. */
  readonly row: string | null
  /** A sentence. */
  readonly detail: string
}

export function problemAt(
  kind: ProblemKind,
  { topic, partition, offset }: Position,
  detail: string,
): Problem {
  return { kind, topic, partition, offset, row: null, detail }
}

export function problemOfRow(kind: 'read-model' | 'table', row: string, detail: string): Problem {
  return { kind, topic: null, partition: null, offset: null, row, detail }
}

/** The place of a problem, for people. */
export function placeOfProblem({ topic, partition, offset, row }: Problem): string {
  return row ?? `${topic}/${partition} at ${offset}`
}
