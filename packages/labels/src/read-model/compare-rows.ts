/**
 * Compares every row of the label view with the log, a few rows at a time: the row of each label, further key and retirement that a record states,
 * by its key, and at the end the numbers of rows, which are more if a row of nobody is among them.
 */
import type { EventCodec, EventLog, LogRecord } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { loadCheckpoint } from '@cupel/projections'
import {
  furtherKeysOf,
  labelViewGroup,
  LABEL_PARTITION,
  LABEL_TOPIC,
  rowOfLabel,
  rowOfRetirement,
} from './reducers.js'

const PLACE = { topic: LABEL_TOPIC, partition: LABEL_PARTITION }
/** Rows that one statement reads, and up to those of one more record. */
const SLICE_ROWS = 200

export interface ComparedLog {
  readonly log: Pick<EventLog, 'read'>
  readonly codec: EventCodec
  readonly database: Queryable
}

type Row = Readonly<Record<string, unknown>>

/** The rows that a slice of records states. */
interface StatedRows {
  readonly labels: Row[]
  readonly keys: { readonly label: Row; readonly key: string }[]
  readonly retirements: Row[]
}

interface Numbers {
  labels: number
  keys: number
  retirements: number
}

/**
 * The first difference as a sentence; null without one. Undefined if nothing can be said: `afterSlice` ended the comparison, or the view was
 * rebuilt meanwhile.
 */
export async function compareLabelRows(
  { log, codec, database }: ComparedLog,
  afterSlice: (sliceMs: number) => Promise<boolean>,
): Promise<string | null | undefined> {
  const viewNext = async (): Promise<number> =>
    (await loadCheckpoint(database, { group: labelViewGroup, ...PLACE }))?.next ?? 0
  const to = await viewNext()
  const numbers: Numbers = { labels: 0, keys: 0, retirements: 0 }
  for await (const records of log.read({ ...PLACE, from: 0, to })) {
    let since = performance.now()
    for (const stated of slicesOf(records, codec)) {
      const difference = await differenceOf(stated, numbers, database)
      if (difference !== null) return (await viewNext()) < to ? undefined : difference
      if (!(await afterSlice(performance.now() - since))) return undefined
      since = performance.now()
    }
  }
  const surplus = await surplusOf(numbers, to, database)
  return (await viewNext()) < to ? undefined : surplus
}

function* slicesOf(records: readonly LogRecord[], codec: EventCodec): Generator<StatedRows> {
  let stated: StatedRows = { labels: [], keys: [], retirements: [] }
  for (const record of records) {
    const asserted = codec.decodeAs('LabelsAsserted', record)
    const retired = codec.decodeAs('LabelRetired', record)
    if (retired !== null) stated.retirements.push(rowOfRetirement(retired.data, record))
    for (const told of asserted?.data.labels ?? []) {
      const label = rowOfLabel(asserted!.data, told, record)
      stated.labels.push(label)
      stated.keys.push(...furtherKeysOf(told).map((key) => ({ label, key })))
    }
    if (stated.labels.length + stated.retirements.length < SLICE_ROWS) continue
    yield stated
    stated = { labels: [], keys: [], retirements: [] }
  }
  yield stated
}

const READ_LABELS = {
  name: 'label-view.stated-labels',
  text: `SELECT l.* FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) AS told (import_id, label_id)
         JOIN label_view.label l USING (import_id, label_id)`,
}
const READ_RETIREMENTS = {
  name: 'label-view.stated-retirements',
  text: `SELECT r.* FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) AS told (import_id, label_id)
         JOIN label_view.retirement r USING (label_id, import_id)`,
}
const READ_KEYS = {
  name: 'label-view.stated-keys',
  text: `SELECT k.* FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[])) AS told (lookup_key, import_id, label_id)
         JOIN label_view.label_key k USING (lookup_key, import_id, label_id)`,
}

const nameOf = (row: Row): string => `${String(row['import_id'])} ${String(row['label_id'])}`
const columns = (rows: readonly Row[]) =>
  ['import_id', 'label_id'].map((name) => rows.map((row) => row[name]))

/** Adds the rows that the records are the first to state to the numbers. */
async function differenceOf(
  { labels, keys, retirements }: StatedRows,
  numbers: Numbers,
  database: Queryable,
): Promise<string | null> {
  const found = new Map((await read(database, READ_LABELS, labels)).map((row) => [nameOf(row), row]))
  const ended = new Map(
    (await read(database, READ_RETIREMENTS, retirements)).map((row) => [nameOf(row), row]),
  )
  for (const stated of labels) {
    const row = found.get(nameOf(stated))
    const fault = contradiction('label', row, stated)
    if (fault !== null) return fault
    if (isFirst(row!, stated)) numbers.labels += 1
  }
  for (const stated of retirements) {
    const row = ended.get(nameOf(stated))
    const fault = contradiction('retirement', row, stated)
    if (fault !== null) return fault
    if (isFirst(row!, stated)) numbers.retirements += 1
  }
  const own = keys.filter(({ label }) => isFirst(found.get(nameOf(label))!, label))
  if (own.length === 0) return null
  const rows = await database.query(READ_KEYS, [
    own.map(({ key }) => key),
    ...columns(own.map(({ label }) => label)),
  ])
  const held = new Set(rows.map((row) => `${String(row['lookup_key'])} ${nameOf(row)}`))
  numbers.keys += held.size
  const missing = own.find(({ key, label }) => !held.has(`${key} ${nameOf(label)}`))
  return missing === undefined
    ? null
    : `label-view lacks the key ${missing.key} of ${sayLabel(missing.label)}.`
}

const read = async (database: Queryable, statement: { name: string; text: string }, rows: readonly Row[]) =>
  rows.length === 0 ? [] : await database.query<Record<string, unknown>>(statement, columns(rows))

/** A record that repeats another one states no further row. */
const isFirst = (row: Row, stated: Row): boolean => row['log_offset'] === stated['log_offset']

const sayLabel = (row: Row): string =>
  `label ${String(row['label_id'])} of import ${String(row['import_id'])}`

function contradiction(what: 'label' | 'retirement', row: Row | undefined, stated: Row): string | null {
  const named = what === 'label' ? sayLabel(stated) : `the end of ${sayLabel(stated)}`
  if (row === undefined) return `label-view lacks ${named}, which the log states.`
  if (Number(row['log_offset']) < Number(stated['log_offset'])) return null
  const changed = Object.keys(stated).filter((column) => row[column] !== stated[column])
  return changed.length === 0
    ? null
    : `label-view has ${named} with another ${changed.join(', ')} than the log.`
}

const COUNT = {
  name: 'label-view.count-stated',
  text: `SELECT (SELECT count(*)::int8 FROM label_view.label WHERE log_offset < $1) AS labels,
           (SELECT count(*)::int8 FROM label_view.retirement WHERE log_offset < $1) AS retirements,
           (SELECT count(*)::int8 FROM label_view.label_key k JOIN label_view.label l USING (import_id, label_id)
            WHERE l.log_offset < $1) AS keys`,
}

/** How many rows a comparison reads, without the keys. */
export async function countLabelRows(database: Queryable): Promise<number> {
  const [held] = await database.query<{ rows: number }>({
    name: 'label-view.count-rows',
    text: `SELECT (SELECT count(*) FROM label_view.label) + (SELECT count(*) FROM label_view.retirement) AS rows`,
  })
  return held!.rows
}

async function surplusOf(numbers: Numbers, to: number, database: Queryable): Promise<string | null> {
  const [held] = await database.query<Numbers & Record<string, unknown>>(COUNT, [to])
  const kinds = [
    ['labels', 'labels'],
    ['keys', 'keys of labels'],
    ['retirements', 'ends of labels'],
  ] as const
  for (const [kind, name] of kinds)
    if (held![kind] !== numbers[kind])
      return `label-view has ${held![kind]} ${name}, and the log states ${numbers[kind]}.`
  return null
}
