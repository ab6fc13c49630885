/** A problem that the verification of the log found: where it is, since when, and what it means. */
import { timeOfRecord, type LogRecord, type Position } from '@cupel/event-log'

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
  /** A file that the log names by its hash is gone, or is another one. */
  | 'file'
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
  /**
   * ISO 8601: the time of the record, of the row that the log states, or of the last record before a gap. It was not changed before
   * then. Null if nothing says it.
   */
  readonly since: string | null
  /** A sentence. */
  readonly detail: string
}

/** The place of a problem: a record with its time, or a position that has none. */
export type ProblemPlace = Position & (Pick<LogRecord, 'headers'> | { readonly since: string | null })

export function problemAt(kind: ProblemKind, place: ProblemPlace, detail: string): Problem {
  const { topic, partition, offset } = place
  const since = 'since' in place ? place.since : timeOfRecord(place)
  return { kind, topic, partition, offset, row: null, since, detail }
}

export function problemOfRow(
  kind: 'read-model' | 'table' | 'file',
  { row, since = null }: { readonly row: string; readonly since?: string | null },
  detail: string,
): Problem {
  return { kind, topic: null, partition: null, offset: null, row, since, detail }
}

/** The meaning of a problem for those who rely on the answers, as a sentence. */
export const meaningOfProblem: Readonly<Record<ProblemKind, string>> = {
  undecodable: 'No reader can use the record: its bytes were changed, or its schema is gone.',
  truncated: 'Records were deleted: no read model can be built anew, and what they said is lost.',
  gap: 'Records were removed from the log: what they said is lost.',
  forged: 'Somebody without a record key wrote to the log. No reader counts the record.',
  unsigned: 'Nobody can show by public keys that the installation made this report.',
  signature: 'The installation did not sign this report as it stands: do not rely on it.',
  'report-hash': 'The report is not the one that was decided: do not rely on it.',
  'report-contents': 'Lists and searches say something else of this report than the report says.',
  misplaced: 'A reader that looks for this report by its id does not find it, or finds another.',
  'id-reused': 'Readers that take the first event with an id, and those that take the last, disagree.',
  'read-model': 'The API answers something else than the log states.',
  table: 'The installation acts on something else than the log states.',
  file: 'Statements to the installation can no longer be shown, nor imported again after a loss of the ledger.',
  state: 'Subscribers of the state topic believe something else than the log states.',
}

/** The place of a problem, for people. */
export function placeOfProblem({ topic, partition, offset, row }: Problem): string {
  return row ?? `${topic}/${partition} at ${offset}`
}
