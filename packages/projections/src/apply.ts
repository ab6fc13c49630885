/** Turns records into rows: decodes, reduces, and writes in as few statements as the order allows. */
import { eventSchemas, type EventType } from '@cupel/contracts'
import {
  TYPE_HEADER,
  typeOf,
  type EventCodec,
  type LogRecord,
  type Position,
  type TextMacs,
} from '@cupel/event-log'
import { copyLine, sqlState, type Transaction } from '@cupel/postgres'
import { createSchemaPatience, type SchemaPatience } from './consume/schema-patience.js'
import type { BatchWrite, Change, ReadModel, Reducer } from './read-model.js'

/** The changes of one record. */
export interface ReducedRecord {
  /** Null if the record was skipped. */
  readonly type: EventType | null
  readonly changes: readonly Change[]
}

/** What rows are made with. */
export interface ReduceSource {
  readonly codec: EventCodec
  /** Of the log. */
  readonly macs?: TextMacs | undefined
}

export type Reduce = (record: LogRecord) => ReducedRecord

/**
 * The function that turns a record into changes. It does not decode an event type without a reducer. It throws for a type that
 * this version does not know: if it skipped the record, a version that knows the type would lose it. `waitsForSchema` says whether a
 * record of a work topic waits for its schema, by an error.
 */
export function createReduce(
  readModel: ReadModel,
  source: ReduceSource,
  waitsForSchema: SchemaPatience = createSchemaPatience(WORK_SCHEMA_PATIENCE_MS),
): Reduce {
  const reducers = new Map(
    readModel.reducers.map((reducer) => [reducer.type as string, readBy(reducer, source)]),
  )
  const reduce: Reduce = (record) => {
    const type = typeOf(record)
    if (type === undefined) throw new Error(`the record has no ${TYPE_HEADER} header`)
    const reducer = reducers.get(type)
    if (reducer === undefined) {
      if (!isKnownType(type)) throw new Error(`the event type ${type} is unknown to this version`)
      return { type, changes: [] }
    }
    const { topic, partition, offset } = record
    return { type: reducer.type, changes: reducer.changesOf(record, { topic, partition, offset }) }
  }
  return readModel.workTopics === undefined
    ? reduce
    : skippingIn(readModel.workTopics, reduce, waitsForSchema)
}

const SKIPPED: ReducedRecord = { type: null, changes: [] }

/**
 * How long a record of a work topic may wait for its schema: longer than its consumer waits before it dead-letters the record,
 * and less than a read model waits before it stops.
 */
const WORK_SCHEMA_PATIENCE_MS = 10_000

/** Skips unreadable records of these topics. A record whose schema is unknown is skipped once `waitsForSchema` returns false. */
function skippingIn(topics: readonly string[], reduce: Reduce, waitsForSchema: SchemaPatience): Reduce {
  return (record) => {
    try {
      return reduce(record)
    } catch (error) {
      if (!topics.includes(record.topic) || waitsForSchema(error, record)) throw error
      return SKIPPED
    }
  }
}

interface RecordReducer {
  readonly type: EventType
  readonly changesOf: (record: LogRecord, at: Position) => readonly Change[]
}

/** A reducer that names fields gets only those fields; the others are not decoded. */
function readBy(reducer: Reducer, { codec, macs }: ReduceSource): RecordReducer {
  const { type } = reducer
  if ('reduce' in reducer)
    return { type, changesOf: (record, at) => reducer.reduce(codec.decode(record), at) }
  const partOf = codec.partOf(type, reducer.fields)
  return { type, changesOf: (record, at) => reducer.reducePart(partOf(record)!, at, macs) }
}

function isKnownType(type: string): type is EventType {
  return Object.hasOwn(eventSchemas, type)
}

/** Rows per statement. It keeps the parameters of one statement at a few megabytes. */
const MAX_STATEMENT_ROWS = 2_000
/** Fewer rows do not pay for the savepoint of a copy. */
const LEAST_COPIED_ROWS = 100
const UNIQUE_VIOLATION = '23505'

/** Writes changes in order; changes of one kind that follow each other are one statement. The next one is made while the database works. */
export async function applyChanges(
  transaction: Transaction,
  schema: string,
  changes: readonly Change[],
): Promise<void> {
  let writing: Promise<unknown> = Promise.resolve()
  for (let from = 0; from < changes.length;) {
    const { write } = changes[from]!
    let to = from + 1
    while (to < changes.length && to - from < MAX_STATEMENT_ROWS && changes[to]!.write === write) to += 1
    const next = prepare(changes, schema, from, to)
    await writing
    writing = next(transaction)
    // The next await reports a failure; until then the rejection must not count as unhandled.
    writing.catch(() => undefined)
    from = to
  }
  await writing
}

/** What a statement needs is made before its turn. */
function prepare(changes: readonly Change[], schema: string, from: number, to: number): Write {
  const { write } = changes[from]!
  const insert = (): Write => {
    const columns = columnsOf(write, changes, from, to)
    return (transaction) => transaction.execute(statementOf(write, schema), columns)
  }
  if (write.copyText === undefined || to - from < LEAST_COPIED_ROWS) return insert()
  const text = write.copyText(schema)
  let lines = ''
  for (let row = from; row < to; row += 1) lines += copyLine(changes[row]!.values)
  return async (transaction) => {
    await transaction.execute('SAVEPOINT copying')
    try {
      await transaction.copy(text, lines)
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error
      await transaction.execute('ROLLBACK TO SAVEPOINT copying')
      await insert()(transaction)
    }
    await transaction.execute('RELEASE SAVEPOINT copying')
  }
}

type Write = (transaction: Transaction) => Promise<unknown>

function columnsOf(write: BatchWrite, changes: readonly Change[], from: number, to: number): unknown[] {
  const columns: unknown[][] = Array.from({ length: write.columnCount }, () => new Array<unknown>(to - from))
  for (let row = from; row < to; row += 1) {
    const { values } = changes[row]!
    for (let column = 0; column < write.columnCount; column += 1)
      columns[column]![row - from] = values[column]
  }
  return columns.map((values, column) => write.parameter(column, values))
}

const statements = new WeakMap<BatchWrite, Map<string, { name: string; text: string }>>()

/** Prepared once per connection and schema: the same write fills the live tables and the tables of a rebuild. */
function statementOf(write: BatchWrite, schema: string): { name: string; text: string } {
  let bySchema = statements.get(write)
  if (bySchema === undefined) statements.set(write, (bySchema = new Map()))
  let statement = bySchema.get(schema)
  if (statement === undefined) {
    statement = { name: `${schema}:${write.name}`, text: write.text(schema) }
    bySchema.set(schema, statement)
  }
  return statement
}
