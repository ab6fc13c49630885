/** What a feature keeps in primary tables, and what becomes of it if personal data is erased or a backup is restored. */
import type { EventData, EventType } from '@cupel/contracts'
import type { MigrationSource, Queryable } from '@cupel/postgres'
import type { StatedRows } from './stated-rows.js'

export interface PrimaryTables {
  readonly migrations: MigrationSource
  /** Replaces the plain data of an account by the word, and ends what it still may open. */
  readonly forgetAccount?: (transaction: Queryable, accountId: string, word: string) => Promise<unknown>
  readonly ofReference?: ReferenceRows
  /** The tables whose old versions of rows an erasure removes from the files. */
  readonly erasedTables?: readonly string[]
  readonly replay?: Partial<Replay<EventType>>
  /** What the log states of these tables, for those who compare them with it. */
  readonly stated?: StatedRows
}

/** The rows that end with the erasure of one customer reference, which is known by its key. */
export interface ReferenceRows {
  /** In the plural. */
  readonly name: string
  count(database: Queryable, reference: ReferenceKey): Promise<number>
  /** `word` takes the place of the reference. */
  end(transaction: Queryable, reference: ReferenceKey, word: string): Promise<unknown>
}

export interface ReferenceKey {
  readonly accountId: string
  readonly keyId: string
}

/** Applies a record of the log to a database that was restored from a backup. */
export type Replay<T extends EventType> = {
  readonly [Type in T]: (parts: ReplayParts, data: EventData[Type]) => Promise<void>
}

export interface ReplayParts {
  readonly transaction: Queryable
  readonly notes: ReplayNotes
  /** The first key in the chain of rotations of the key. */
  readonly holderOf: (keyId: string) => Promise<string>
  /** Null if neither the read model nor the log has it. */
  readonly reportOf: (report: { reportId: string; livemode: boolean }) => Promise<ReportFacts | null>
}

/** What other tables repeat of a report. */
export interface ReportFacts {
  readonly reportId: string
  readonly address: string
  readonly chain: string
  readonly level: string
  readonly score: number
}

/** What a restore tells an operator. */
export interface ReplayNotes {
  /** Counts one more change of a kind; `sentence` makes a line from the number. */
  changed(sentence: (count: number) => string, count?: number): void
  lost(sentence: string): void
  /** Takes back a loss that a later record disproves. */
  notLost(sentence: string): void
  losses(): string[]
}
