/**
 * Defines a read model: tables, and for each event type a pure function from an event to rows.
 * Reducers have no side effects, so that a rebuild runs the same loop over the same log into other tables.
 */
import type { DomainEvent, EventData, EventType } from '@cupel/contracts'
import type { FieldOf, Position, TextMacs } from '@cupel/event-log'

export interface ReadModel {
  /** Kebab-case, for example `report-view`. */
  readonly name: string
  /** A new version reads the log from the start, under its own group. */
  readonly version: number
  /** Postgres schema that holds the tables and nothing else. */
  readonly schema: string
  readonly topics: readonly string[]
  /**
   * Those of the topics whose records are work for another consumer. That consumer dead-letters an unreadable record, and the read
   * model skips it: it was never accepted work. In every other topic such a record stops the read model.
   */
  readonly workTopics?: readonly string[]
  /** DDL with unqualified names; it runs with the schema as search path. */
  readonly definition: string
  /**
   * Further indexes, `CREATE INDEX IF NOT EXISTS` with unqualified names. They change no rows: a start creates the missing
   * ones, and no rebuild is needed.
   */
  readonly indexes?: readonly string[]
  /** Every table of the definition: a rebuild compares them. */
  readonly tables: readonly string[]
  readonly reducers: readonly Reducer[]
  /**
   * What retention takes from the rows of old months, `at` the time of a row: a text that its record still has, so that no reader needs it in
   * the row.
   */
  readonly retires?: {
    readonly table: string
    readonly key: string
    readonly column: string
    readonly at: string
  }
  /**
   * The column with MACs of the rows. After a rotation of the record keys a rebuild writes others, so it is not compared: readers check each
   * MAC, and believe no row with a wrong one.
   */
  readonly macs?: { readonly table: string; readonly column: string }
  /** Records of one partition in one batch; use fewer for large rows. */
  readonly maxBatchRecords?: number
  /** Whether its writes find rows by the keys of the tables alone: a rebuild makes the other indexes at its end. */
  readonly writesByKey?: boolean
  /** Time between two commits, 50 ms by default; longer if no reader waits for recent records. */
  readonly commitIntervalMs?: number
  /** The rest once everything was read: as long as `commitIntervalMs`, or 200 ms by default. A caller that waits ends it. */
  readonly restMs?: number
  /**
   * Events after which the size of the tables may change greatly. Their statistics are then updated at once. Otherwise
   * statements prepared for a small table scan the large one until Postgres updates the statistics by itself.
   */
  readonly resizedBy?: readonly EventType[]
  /** No decision and no answer to a screen depends on it. If it stops, this is reported and nothing else stops. */
  readonly isAside?: true
}

export type Reducer = EventReducer | PartReducer

export interface EventReducer {
  readonly type: EventType
  readonly reduce: (event: DomainEvent, at: Position) => readonly Change[]
}

export interface PartReducer {
  readonly type: EventType
  readonly fields: readonly FieldOf<EventType>[]
  /** `macs` is undefined without record keys. */
  readonly reducePart: (data: object, at: Position, macs: TextMacs | undefined) => readonly Change[]
}

/** A reducer of one event type. Event types without a reducer do not change the read model. */
export function on<T extends EventType>(
  type: T,
  reduce: (event: DomainEvent<T>, at: Position) => Change | readonly Change[],
): Reducer {
  return {
    type,
    reduce: (event, at) => {
      if (event.type !== type) throw new Error(`The reducer of ${type} was given ${event.type}`)
      return listed(reduce(event as DomainEvent<T>, at))
    },
  }
}

function listed(changes: Change | readonly Change[]): readonly Change[] {
  return 'write' in changes ? [changes] : changes
}

/** A reducer that needs some fields of an event. The other fields, often most of the event, are not decoded. */
export function onPartOf<T extends EventType, const K extends FieldOf<T>>(
  type: T,
  fields: readonly K[],
  reduce: (
    data: Pick<EventData[T], K>,
    at: Position,
    macs: TextMacs | undefined,
  ) => Change | readonly Change[],
): PartReducer {
  return {
    type,
    fields: fields as readonly string[] as readonly FieldOf<EventType>[],
    reducePart: (data, at, macs) => listed(reduce(data as Pick<EventData[T], K>, at, macs)),
  }
}

/**
 * `document` is long text with many quotes, such as JSON. It is sent as a JSON array, because escaping it into an array
 * literal takes twenty times as long.
 */
type ColumnType = 'text' | 'document' | 'int4' | 'int8' | 'float8' | 'bool' | 'timestamptz'
type ColumnValue<T extends ColumnType> = T extends 'bool'
  ? boolean
  : T extends 'text' | 'document' | 'timestamptz'
    ? string
    : number

/** One statement that writes many rows: each parameter holds one column of all rows, in order. */
export interface BatchWrite {
  readonly name: string
  readonly columnCount: number
  readonly text: (schema: string) => string
  /** The parameter for a column's values. */
  readonly parameter: (column: number, values: readonly unknown[]) => unknown
  /** The same write as a COPY, which takes two thirds of the time; absent for a write that does not copy. */
  readonly copyText?: (schema: string) => string
}

/** A row to write. Consecutive rows of the same write become one statement. */
export interface Change {
  readonly write: BatchWrite
  readonly values: readonly unknown[]
}

/**
 * Defines a write and returns the function that makes its rows. `sql` receives the schema and a row source `r` with the
 * columns and `ord`, their order in the log. The statement must be repeatable: a record may be applied again.
 */
export function batchWrite<const C extends Readonly<Record<string, ColumnType>>>(definition: {
  readonly name: string
  readonly columns: C
  readonly sql: (source: { schema: string; rows: string; columns: string }) => string
  /** For a write that only inserts, and leaves rows as they are that are there already: the table into which many rows are copied. */
  readonly copiesInto?: string
}): (row: { readonly [K in keyof C]: ColumnValue<C[K]> | null }) => Change {
  const isDocument = (name: string): boolean => definition.columns[name] === 'document'
  const given = Object.keys(definition.columns)
  const names = [...given.filter((name) => !isDocument(name)), ...given.filter(isDocument)]
  const arrays = names.flatMap((name, index) =>
    isDocument(name) ? [] : [`$${index + 1}::${definition.columns[name]}[]`],
  )
  const documents = names.flatMap((name, index) =>
    isDocument(name) ? [`json_array_elements_text($${index + 1}::json)`] : [],
  )
  const columns = names.join(', ')
  // In the list of a SELECT the functions go on in step. In FROM each would first write all of its values to a store of its own.
  const values = [...arrays.map((array) => `unnest(${array})`), ...documents]
  const rows = `(SELECT ${values.join(', ')}, generate_series(1, cardinality(${arrays[0]}))) AS r (${columns}, ord)`
  const { copiesInto } = definition
  const write: BatchWrite = {
    name: definition.name,
    columnCount: names.length,
    text: (schema) => definition.sql({ schema, rows, columns }),
    parameter: (column, values) => (column < arrays.length ? arrayText(values) : JSON.stringify(values)),
    ...(copiesInto === undefined
      ? {}
      : { copyText: (schema) => `COPY ${schema}.${copiesInto} (${columns}) FROM STDIN` }),
  }
  return (row) => ({ write, values: names.map((name) => row[name as keyof C]) })
}

/** The text of a Postgres array. The driver would look through each value twice for characters to escape. */
const arrayText = (values: readonly unknown[]): string => `{${values.map(elementText).join()}}`

const elementText = (value: unknown): string =>
  value === null || value === undefined
    ? 'NULL'
    : typeof value === 'string'
      ? `"${ESCAPED.test(value) ? value.replace(EACH_ESCAPED, String.raw`\$&`) : value}"`
      : String(value as number | boolean)

const ESCAPED = /["\\]/
const EACH_ESCAPED = /["\\]/g

/** The consumer group of a read model, which is also the name of its checkpoints. */
export function readModelGroup(readModel: Pick<ReadModel, 'name' | 'version'>): string {
  return `projector.${readModel.name}.v${readModel.version}`
}
