/** The rows of primary tables that events state: what each event makes of them, as a pure fold over the log. */
import type { EventData, EventType } from '@cupel/contracts'

/** The stated columns of a row, by name. A column that no event states is absent. */
export type Columns = Readonly<Record<string, unknown>>

export interface StatedRows {
  /** By the name of the table with its schema. */
  readonly tables: Readonly<Record<string, StatedTable>>
  readonly events: Stating
}

export interface StatedTable {
  /** The columns of its key. */
  readonly key: readonly string[]
  /** The compared row in SQL, if it is not the whole row `t`. */
  readonly row?: string
  /** Columns that events state and the table keeps in another form, made of its row. */
  readonly made?: (row: Columns) => Columns
  /** Columns that follow from other facts than the events of the row. */
  readonly follows?: (facts: OtherFacts) => Columns
}

export interface OtherFacts {
  readonly state: Columns
  readonly row: Columns
  /** The first key in the chain of rotations of the key. */
  readonly holderOf: (keyId: string) => string
}

export type Stating = { readonly [T in EventType]?: (data: EventData[T]) => readonly Statement[] }

export interface Statement {
  readonly table: string
  readonly key: string
  /** The row after the event, from the row before it. */
  readonly next: (before: Columns) => Columns | null
}

export const states = (table: string, key: string, columns: Columns): Statement[] => [
  { table, key, next: () => columns },
]
export const changes = (table: string, key: string, columns: Columns): Statement[] => [
  { table, key, next: (before) => ({ ...before, ...columns }) },
]
