/**
 * Compares primary tables with their events: every row must be what the log states of it. Tables are written before the log, so the log is
 * read once before the rows and on to its end behind them: a row that changed meanwhile may be as before or as after any of those events.
 */
import { topicOf, topicSpecs, type DomainEvent, type EventData, type EventType } from '@cupel/contracts'
import { type EventCodec, type EventLog, rangesOf, readable, typeOf } from '@cupel/event-log'
import { ERASED, keyIdOf } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { Acceptance } from '../../../transparency/index.js'
import { latestTimeIn, type Columns } from '@cupel/projections'
import { differenceOf, type Problem } from '../../../proofs/index.js'
import { unconfirmedPolicies } from './unconfirmed-policies.js'
import { statedTables, statementsOf, statingEventTypes } from './stated-rows.js'

interface Parts {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  /** Ends of the log that operators accepted as lost. */
  readonly acceptances: readonly Acceptance[]
}

/** States of rows that count: the last one, and those that it had while the rows were read. Null: there is no row. */
type States = Map<string, Map<string, (Columns | null)[]>>

interface Stated {
  readonly states: States
  /** Each key with the one that it was rotated from. */
  readonly rotatedFrom: Map<string, string>
  readonly erasedAccounts: Set<string>
  /** The keys of erased references, as sealed texts begin with them. */
  readonly erasedReferences: string[]
  /** Policies that came into force. */
  readonly activations: DomainEvent<'PolicyActivated'>[]
  /** What restores recorded as lost: the database cannot have these rows. */
  readonly losses: string[]
  /** When a restore recorded that something was lost. */
  readonly lostAt: string[]
  /** The last time at which the loss of records that state rows was accepted; empty if there is none. */
  readonly acceptedAt: string
}

const ALSO: readonly EventType[] = ['PersonalDataErased', 'InstallationRestored', 'PolicyActivated']
const types = new Set<string>([...statingEventTypes, ...ALSO])
const existing = new Set(topicSpecs.map(({ name }) => name))
const topics = [
  ...new Set([...types].flatMap((type) => [true, false].map((live) => topicOf(type as EventType, live)))),
].filter((topic) => existing.has(topic))

export async function comparePrimaryTables(parts: Parts): Promise<readonly Problem[]> {
  const stated: Stated = {
    ...{ states: new Map(), rotatedFrom: new Map(), erasedAccounts: new Set(), losses: [] },
    ...{ erasedReferences: [], activations: [], lostAt: [] },
    acceptedAt: lastAcceptance(parts.acceptances),
  }
  const ends = await apply(parts, stated, { from: new Map(), keepsStates: false })
  const { rows, waiting } = await readRows(parts.database)
  await apply(parts, stated, { from: ends, keepsStates: true })
  for (const event of waiting) applyEvent(stated, event, true)
  const differences = [...statedTables.keys()].flatMap((table) =>
    compareTable(table, rows.get(table)!, stated),
  )
  return [...differences, ...unconfirmedOf(stated, rows.get(PROPOSALS)!)]
}

const PROPOSALS = 'access.proposed_change'

/** The events of a proposal may be among those that were lost before. */
function unconfirmedOf(stated: Stated, rows: ReadonlyMap<string, Columns>): Problem[] {
  const { activations, states, lostAt, acceptedAt } = stated
  const lastLoss = [acceptedAt, ...lostAt].sort().at(-1)!
  const behind = activations.filter(({ data }) => data.activatedAt > lastLoss)
  const changes = new Map([...(states.get(PROPOSALS) ?? [])].map(([id, all]) => [id, all.at(-1) ?? null]))
  // The row tells who proposed a change whose event is lost. Only the log tells that it was confirmed.
  for (const [id, row] of rows)
    if (changes.get(id)?.['proposed_by'] === undefined && mayBeLost(row, stated))
      changes.set(id, { ...changes.get(id), proposed_by: row['proposed_by'] })
  return unconfirmedPolicies(behind, changes)
}

function lastAcceptance(acceptances: readonly Acceptance[]): string {
  const times = acceptances
    .filter(({ lost }) => lost.some(({ topic }) => topics.includes(topic)))
    .map(({ acceptedAt }) => acceptedAt)
  return times.sort().at(-1) ?? ''
}

/** Applies the events behind the given ends of partitions, and resolves to the present ends. */
async function apply(
  { log, codec }: Parts,
  stated: Stated,
  { from: ends, keepsStates }: { readonly from: ReadonlyMap<string, number>; readonly keepsStates: boolean },
): Promise<ReadonlyMap<string, number>> {
  const reached = new Map<string, number>()
  for (const { topic, partition, from, to } of await rangesOf(log, topics)) {
    const place = `${topic}/${partition}`
    reached.set(place, to)
    for await (const records of log.read({
      topic,
      partition,
      from: Math.max(from, ends.get(place) ?? 0),
      to,
    }))
      for (const record of records) {
        if (!types.has(typeOf(record) ?? '')) continue
        const event = readable(() => codec.decode(record))
        if (event !== null) applyEvent(stated, event, keepsStates)
      }
  }
  return reached
}

function applyEvent(stated: Stated, event: DomainEvent, keepsStates: boolean): void {
  note(stated, event)
  for (const { table, key, next } of statementsOf(event)) {
    const rows = stated.states.get(table) ?? new Map<string, (Columns | null)[]>()
    stated.states.set(table, rows)
    const before = rows.get(key) ?? []
    // While rows are read, one that was not stated yet may be absent.
    const kept = keepsStates ? (before.length === 0 ? [null] : before) : []
    rows.set(key, [...kept, next(before.at(-1) ?? {})])
  }
}

function note(
  { rotatedFrom, erasedAccounts, erasedReferences, activations, losses, lostAt }: Stated,
  event: DomainEvent,
): void {
  const { type, data } = event
  if (type === 'PolicyActivated') activations.push(event as DomainEvent<'PolicyActivated'>)
  if (type === 'ApiKeyIssued') {
    const { keyId, rotatedFrom: from } = data as EventData['ApiKeyIssued']
    if (from !== null) rotatedFrom.set(keyId, from)
  }
  if (type === 'PersonalDataErased') {
    const { scope, accountId, keyIds } = data as EventData['PersonalDataErased']
    if (scope === 'reference') erasedReferences.push(...keyIds)
    else if (accountId !== '') erasedAccounts.add(accountId)
  }
  if (type === 'InstallationRestored') {
    const { lost, restoredAt } = data as EventData['InstallationRestored']
    losses.push(...lost)
    if (lost.length > 0) lostAt.push(restoredAt)
  }
}

/** Every row, and the events that wait for the log, at one moment. */
async function readRows(database: Database): Promise<{
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, Columns>>
  readonly waiting: readonly DomainEvent[]
}> {
  return await database.transaction(
    { at: 'projector.rebuild-compare', isolation: 'repeatable read' },
    async (transaction) => {
      const rows = new Map<string, ReadonlyMap<string, Columns>>()
      for (const [table, { row: compared = 'to_jsonb(t)' }] of statedTables) {
        const found = await transaction.query<{ row: Columns }>(`SELECT ${compared} AS row FROM ${table} t`)
        rows.set(table, new Map(found.map(({ row }) => [keyOf(table, row), row])))
      }
      const waiting = await transaction.query<{ event: DomainEvent }>(
        'SELECT event FROM projection.outbox WHERE relayed_at IS NULL ORDER BY seq',
      )
      return { rows, waiting: waiting.map(({ event }) => event) }
    },
  )
}

const keyOf = (table: string, row: Columns): string =>
  statedTables
    .get(table)!
    .key.map((name) => String(row[name]))
    .join(' ')

function compareTable(table: string, rows: ReadonlyMap<string, Columns>, stated: Stated): Problem[] {
  const expected = stated.states.get(table) ?? new Map<string, (Columns | null)[]>()
  const named = (key: string): string => {
    const values = key.split(' ')
    return statedTables
      .get(table)!
      .key.map((name, at) => `${name}=${values[at]}`)
      .join(', ')
  }
  const isLost = (key: string): boolean =>
    stated.losses.some((loss) => key.split(' ').every((part) => loss.includes(part)))
  const keys = new Set([...expected.keys(), ...rows.keys()])
  return [...keys].flatMap((key): Problem[] => {
    const difference = differenceFrom(table, expected.get(key) ?? [null], rows.get(key), stated)
    if (difference === null || isLost(key)) return []
    const since = latestTimeIn(expected.get(key)?.at(-1) ?? rows.get(key) ?? {})
    return [differenceOf('table', table, { key: named(key), ...difference, since })]
  })
}

type Difference = { readonly difference: 'missing' | 'extra' | 'other'; readonly columns: readonly string[] }

/** Null if the row is one of the states that count; else what differs from the last of them. */
function differenceFrom(
  table: string,
  states: readonly (Columns | null)[],
  row: Columns | undefined,
  stated: Stated,
): Difference | null {
  const last = states.at(-1)!
  if (row === undefined) return states.includes(null) ? null : { difference: 'missing', columns: [] }
  const wrong = (state: Columns): string[] => wrongColumns(table, state, row, stated)
  if (states.some((state) => state !== null && wrong(state).length === 0)) return null
  if (last !== null) return { difference: 'other', columns: wrong(last) }
  return mayBeLost(row, stated) ? null : { difference: 'extra', columns: [] }
}

/** A row of before an accepted loss may be one that a lost record stated. */
function mayBeLost(row: Columns, { acceptedAt }: Stated): boolean {
  const madeAt =
    row['created_at'] ?? row['issued_at'] ?? row['proposed_at'] ?? row['made_at'] ?? row['opened_at']
  return acceptedAt !== '' && Date.parse(String(madeAt)) <= Date.parse(acceptedAt)
}

/** Columns of which an erasure leaves a word, or nothing; the log keeps what they were. */
const ERASED_COLUMNS: readonly string[] = [
  'name',
  'created_by',
  'issued_by',
  'label',
  'reason',
  'actor',
  'allowed_ips',
  'allowed_ips_number',
  'expires_at',
  'reference',
  'until',
]

function wrongColumns(table: string, state: Columns, row: Columns, stated: Stated): string[] {
  const { made, follows } = statedTables.get(table)!
  const actual: Columns = { ...row, ...made?.(row) }
  const expected: Columns = {
    ...state,
    ...follows?.({ state, row, holderOf: (keyId) => holderOf(keyId, stated) }),
  }
  const isErased =
    stated.erasedAccounts.has(String(row['account_id'])) ||
    stated.erasedReferences.includes(keyIdOf(String(expected['reference'] ?? '')) ?? '')
  return Object.keys(expected).filter((column) => {
    if (same(column, expected[column], actual[column])) return false
    return !(
      isErased &&
      ERASED_COLUMNS.includes(column) &&
      isForgotten(column, expected[column], actual[column])
    )
  })
}

/** An erasure ends links and watches early, and leaves a word of every text. */
function isForgotten(column: string, expected: unknown, actual: unknown): boolean {
  if (column === 'expires_at') return String(actual) <= String(expected)
  if (column === 'until') return actual !== null && (expected === null || String(actual) <= String(expected))
  return actual === ERASED || actual === 0 || (Array.isArray(actual) && actual.length === 0)
}

function holderOf(keyId: string, { rotatedFrom }: Stated): string {
  const seen = new Set<string>()
  let key = keyId
  for (let from = rotatedFrom.get(key); from !== undefined && !seen.has(from); from = rotatedFrom.get(key)) {
    seen.add(from)
    key = from
  }
  return key
}

const isTime = (column: string): boolean => column.endsWith('_at') || column === 'until'

function same(column: string, expected: unknown, actual: unknown): boolean {
  if (!isTime(column) || expected === null || actual === null)
    return JSON.stringify(expected) === JSON.stringify(actual)
  return microsecondsOf(String(expected)) === microsecondsOf(String(actual))
}

/** A time of the database has microseconds, and one of an event milliseconds. */
function microsecondsOf(text: string): string {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? ''
  return `${new Date(text).getTime()} ${fraction.padEnd(6, '0').slice(3, 6)}`
}
