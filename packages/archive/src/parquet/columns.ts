/**
 * The columns of an event: its fields, and beside them the fields of nested records (`inputs.scorerVersion` becomes
 * `inputs_scorer_version`). Lists of texts stay lists. Every other list, and every record that may be absent, is JSON.
 */
import { eventSchemas, type EventType } from '@cupel/contracts'
import type { LogRecord } from '@cupel/event-log'
import type { SchemaElement } from 'hyparquet-writer'

/** A record of the archive on its way into a row. */
export interface ExportedRecord {
  readonly record: LogRecord
  readonly data: Readonly<Record<string, unknown>> | null
  /** Whether an earlier record of its partition has the same id. */
  readonly isRepeat: boolean
}

export interface Column {
  readonly name: string
  readonly schema: readonly SchemaElement[]
  readonly valueOf: (exported: ExportedRecord) => unknown
}

type Element = Omit<SchemaElement, 'name' | 'repetition_type'>

const TEXT: Element = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const JSON_TEXT: Element = { type: 'BYTE_ARRAY', converted_type: 'JSON' }
const LONG: Element = { type: 'INT64' }
/** Avro types. */
const ELEMENTS: Readonly<Record<string, Element>> = {
  string: TEXT,
  boolean: { type: 'BOOLEAN' },
  int: { type: 'INT32' },
  long: LONG,
  float: { type: 'FLOAT' },
  double: { type: 'DOUBLE' },
}

/** The place of the record in the log, and the content of its headers. */
const placeColumns: readonly Column[] = [
  required('log_topic', TEXT, ({ record }) => record.topic),
  required('log_partition', { type: 'INT32' }, ({ record }) => record.partition),
  required('log_offset', LONG, ({ record }) => BigInt(record.offset)),
  required('log_key', TEXT, ({ record }) => record.key),
  required('event_id', TEXT, ({ record }) => record.headers['ce_id'] ?? ''),
  {
    name: 'event_time',
    schema: [
      { name: 'event_time', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'OPTIONAL' },
    ],
    valueOf: ({ record }) => timeOf(record),
  },
  required('is_repeat', { type: 'BOOLEAN' }, ({ isRepeat }) => isRepeat),
]

/** Columns of records that are not an event of this release: they are kept unchanged. */
export const undecodedColumns: readonly Column[] = [
  ...placeColumns,
  required('event_type', TEXT, ({ record }) => record.headers['ce_type'] ?? ''),
  required('value', { type: 'BYTE_ARRAY' }, ({ record }) => record.value),
]

interface AvroField {
  readonly name: string
  readonly type: AvroType
}
type AvroType =
  | string
  | readonly AvroType[]
  | { readonly type: string; readonly items?: AvroType; readonly fields?: readonly AvroField[] }

export function columnsOf(type: EventType): readonly Column[] {
  const { fields } = JSON.parse(eventSchemas[type].schema) as { fields: readonly AvroField[] }
  return [...placeColumns, ...fields.flatMap((field) => fieldColumns(field, []))]
}

/** The time that the record states; null if it states none. */
export function timeOf({ headers }: LogRecord): Date | null {
  const time = new Date(headers['ce_time'] ?? '')
  return Number.isNaN(time.getTime()) ? null : time
}

function fieldColumns({ name, type }: AvroField, above: readonly string[]): readonly Column[] {
  const path = [...above, name]
  if (typeof type === 'object' && 'fields' in type && type.fields !== undefined)
    return type.fields.flatMap((field) => fieldColumns(field, path))
  return [columnOf(path, type)]
}

function columnOf(path: readonly string[], type: AvroType): Column {
  const name = path.map(snakeCase).join('_')
  const read = reader(path)
  const [isNullable, kind] = Array.isArray(type)
    ? [true, (type as readonly AvroType[]).find((one) => one !== 'null')!]
    : [false, type]
  if (typeof kind === 'object' && 'items' in kind && kind.items === 'string' && !isNullable)
    return { name, schema: listOf(name), valueOf: ({ data }) => read(data) }
  const element = typeof kind === 'string' ? ELEMENTS[kind] : undefined
  // The writer turns a JSON value into text.
  const valueOf = element === LONG ? (data: unknown) => longOf(read(data)) : read
  return {
    name,
    schema: [{ name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED', ...(element ?? JSON_TEXT) }],
    valueOf: ({ data }) => valueOf(data),
  }
}

type Reader = (data: unknown) => unknown

const reader =
  (path: readonly string[]): Reader =>
  (data) =>
    path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], data)

const longOf = (value: unknown): bigint | null => (value === null ? null : BigInt(value as number))

function required(name: string, element: Element, valueOf: Column['valueOf']): Column {
  return { name, schema: [{ name, repetition_type: 'REQUIRED', ...element }], valueOf }
}

const listOf = (name: string): readonly SchemaElement[] => [
  { name, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', repetition_type: 'REQUIRED', ...TEXT },
]

const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
