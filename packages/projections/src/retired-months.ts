/** The months whose reports an operator handed to an archive: their rows may be without the document, which is in the record. */
import { requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import { readable, scan, typeOf, type EventCodec, type EventLog } from '@cupel/event-log'
import { timeText, type Queryable } from '@cupel/postgres'
import { outboxType, writeOutbox, type OutboxEvent } from './outbox.js'

export type MonthRetired = EventData['MonthRetired']

export interface RetiredMonth {
  /** Of UTC: `2026-01`. */
  readonly month: string
  readonly store: string
  readonly reports: number
  readonly archive: string
  /** UTC, RFC 3339. */
  readonly begunAt: string
  /** Null while something of the month is still there. */
  readonly endedAt: string | null
}

/**
 * Writes the event of a month before anything of it goes. A month that was cut off goes on without another one; one that had ended, and of
 * which something goes again, gets one.
 */
export async function beginRetirement(transaction: Queryable, data: MonthRetired): Promise<void> {
  const { month, store, reports, archive } = data
  const isNew = await transaction.execute(
    `INSERT INTO projection.retired_month AS own (month, store, reports, archive) VALUES ($1, $2, $3, $4)
     ON CONFLICT (month, store) DO UPDATE
       SET reports = excluded.reports, archive = excluded.archive, begun_at = excluded.begun_at, ended_at = NULL
       WHERE own.ended_at IS NOT NULL`,
    [month, store, reports, archive],
  )
  if (isNew === 0) return
  const id = requestedEventId()
  const event: OutboxEvent<'MonthRetired'> = {
    type: outboxType('MonthRetired'),
    data,
    envelope: {
      ...{ id, source: 'cupel/retention', time: data.retiredAt, subject: month },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('MonthRetired'), key: month })
}

export async function endRetirement(
  database: Queryable,
  { month, store }: Pick<RetiredMonth, 'month' | 'store'>,
): Promise<void> {
  await database.execute(
    'UPDATE projection.retired_month SET ended_at = coalesce(ended_at, now()) WHERE month = $1 AND store = $2',
    [month, store],
  )
}

/** Oldest first; none in a database of an earlier release. */
export async function listRetiredMonths(database: Queryable): Promise<readonly RetiredMonth[]> {
  const [table] = await database.query<{ exists: boolean }>(
    `SELECT to_regclass('projection.retired_month') IS NOT NULL AS exists`,
  )
  if (table?.exists !== true) return []
  return await database.query<RetiredMonth & Record<string, unknown>>(
    `SELECT month, store, reports, archive, ${timeText('begun_at')} AS "begunAt", ${timeText('ended_at')} AS "endedAt"
     FROM projection.retired_month ORDER BY month, store`,
  )
}

/** Of a month whose records an archive took over from the log; null if none is known. The cut of a month is one of all months before it. */
export async function findLogRetirement(
  database: Queryable,
  month: string,
): Promise<Pick<RetiredMonth, 'archive' | 'begunAt'> | null> {
  const [found] = await database.query<{ archive: string; begunAt: string }>(
    {
      name: 'projection.log-retirement',
      text: `SELECT archive, ${timeText('begun_at')} AS "begunAt" FROM projection.retired_month
             WHERE store = 'log' AND month >= $1 ORDER BY month LIMIT 1`,
    },
    [month],
  )
  return found ?? null
}

export class UnstatedRetirementError extends Error {
  override readonly name = 'UnstatedRetirementError'
  constructor(months: readonly string[]) {
    super(
      `The retirement of ${months.join(', ')} is not in the log yet: it waits in the outbox. Start the projector, and run the command again.`,
    )
  }
}

/**
 * The months whose documents may be gone from the database, as events of the log state them. Throws UnstatedRetirementError while one waits
 * in the outbox: a row of it has no signature, so it says nothing, and without it a document would seem lost.
 */
export async function monthsWithoutDocuments(parts: {
  readonly database: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
}): Promise<ReadonlySet<string>> {
  const waiting = await parts.database.query<{ key: string }>(
    `SELECT key FROM projection.outbox WHERE relayed_at IS NULL AND event->>'type' = 'MonthRetired' ORDER BY seq`,
  )
  if (waiting.length > 0) throw new UnstatedRetirementError(waiting.map(({ key }) => key))
  const found: MonthRetired[] = []
  for await (const record of scan(parts.log, [topicOf('MonthRetired')])) {
    if (typeOf(record) !== 'MonthRetired') continue
    const event = readable(() => parts.codec.decodeAs('MonthRetired', record))
    if (event !== null) found.push(event.data)
  }
  return new Set(found.filter(({ store }) => store === 'database').map(({ month }) => month))
}
