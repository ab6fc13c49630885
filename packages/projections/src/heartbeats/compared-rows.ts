/**
 * How far scorers are with the comparison of all rows of labels and of the ledger with the log. Each scorer tells it every few seconds;
 * status and doctor read it: an alteration may go unseen where nothing is compared.
 */
import { randomUUID } from 'node:crypto'
import { startLoop } from '@cupel/kit/concurrency'
import type { Queryable } from '@cupel/postgres'

export interface ComparedRows {
  readonly kind: 'labels' | 'ledger'
  /** Time since the end of the last whole comparison, or since the start of the scorer, in milliseconds. */
  readonly ageMs: number
  /** What keeps the next comparison from ending, as a sentence; null while nothing does. */
  readonly fault: string | null
  /** How the rows differ from the log, as a sentence: then none of them may decide anything. Null while nobody found a difference. */
  readonly difference: string | null
  /** Time since the begin of the last whole comparison that found no difference, in milliseconds; null if there was none. */
  readonly equalForMs: number | null
}

export interface ComparedRowsTold extends Omit<ComparedRows, 'equalForMs'> {
  /** Time since the scorer told it, by the clock of the database. */
  readonly toldAgeMs: number
}

const TELL_EVERY_MS = 2_000
/** What no scorer has repeated for longer does not count. */
const STALE_MS = 60_000

const TAKE_BACK = 'DELETE FROM heartbeats.compared_rows WHERE process = $1 AND difference IS NULL'

/**
 * `onError` is called for the first of several failures in a row. `stop` takes back what was told, and never rejects. A difference stays:
 * it ends once a scorer compared all rows after it was told and found none.
 */
export function tellComparedRows(
  database: Queryable,
  options: { readonly read: () => readonly ComparedRows[]; readonly onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const process = randomUUID()
  const loop = startLoop({
    step: () => write(database, process, options.read()),
    restMs: TELL_EVERY_MS,
    onError(error, failures) {
      if (failures === 1) options.onError(error)
    },
  })
  return {
    async stop() {
      await loop.stop()
      // A difference may have been found since the last step.
      await write(database, process, options.read())
        .then(() => database.execute(TAKE_BACK, [process]))
        .catch(() => undefined)
    },
  }
}

/** What scorers told that ended without taking it back goes with the next message of another one. */
async function write(database: Queryable, process: string, told: readonly ComparedRows[]): Promise<void> {
  await database.execute(
    {
      name: 'heartbeats.tell-compared-rows',
      text: `WITH told AS MATERIALIZED (
               SELECT * FROM unnest($2::text[], $3::float8[], $4::text[], $6::text[], $7::float8[])
                 AS told (kind, age_ms, fault, difference, equal_for_ms)),
             ended AS (
               DELETE FROM heartbeats.compared_rows AS before
               WHERE process <> $1 AND CASE WHEN difference IS NULL
                 THEN told_at < clock_timestamp() - make_interval(secs => $5)
                 ELSE told_at < (SELECT clock_timestamp() - make_interval(secs => equal_for_ms / 1000)
                                 FROM told WHERE told.kind = before.kind) END)
             INSERT INTO heartbeats.compared_rows (process, kind, whole_at, fault, difference, told_at)
             SELECT $1, kind, clock_timestamp() - make_interval(secs => age_ms / 1000), fault, difference, clock_timestamp()
             FROM told
             ON CONFLICT (process, kind) DO UPDATE
               SET whole_at = excluded.whole_at, fault = excluded.fault, difference = excluded.difference, told_at = excluded.told_at`,
    },
    [
      process,
      told.map(({ kind }) => kind),
      told.map(({ ageMs }) => ageMs),
      told.map(({ fault }) => fault),
      STALE_MS / 1_000,
      told.map(({ difference }) => difference),
      told.map(({ equalForMs }) => equalForMs),
    ],
  )
}

/** What each scorer told, by kind; nothing if none runs, or an earlier release made the tables of the database. */
export async function listComparedRows(database: Queryable): Promise<readonly ComparedRowsTold[]> {
  const [{ exists } = { exists: false }] = await database.query<{ exists: boolean }>(
    `SELECT to_regclass('heartbeats.compared_rows') IS NOT NULL AS exists`,
  )
  if (!exists) return []
  return await database.query<ComparedRowsTold & Record<string, unknown>>(
    `SELECT kind, fault, difference, ${ageMsOf('whole_at')} AS "ageMs", ${ageMsOf('told_at')} AS "toldAgeMs"
     FROM heartbeats.compared_rows ORDER BY kind, process`,
  )
}

const ageMsOf = (column: string): string =>
  `greatest(0, round(extract(epoch FROM clock_timestamp() - ${column}) * 1000))::int8`

/** What is at fault, as sentences. A scorer that no longer tells anything is at fault if no other one compares the same rows. */
export function uncomparedOf(told: readonly ComparedRowsTold[]): readonly string[] {
  const isFresh = ({ toldAgeMs }: ComparedRowsTold): boolean => toldAgeMs <= STALE_MS
  const fresh = new Set(told.filter(isFresh).map(({ kind }) => kind))
  return told.flatMap((each) => {
    if (each.difference !== null) return [each.difference]
    if (isFresh(each)) return each.fault === null ? [] : [each.fault]
    if (fresh.has(each.kind)) return []
    return [
      `No scorer has told for ${Math.round(each.toldAgeMs / 1_000)} s that it compares the rows of ${each.kind} with the log.`,
    ]
  })
}

/** A difference between rows and log that a scorer found and told, as a sentence; null if there is none. Screens of any kind stop for it. */
export async function knownDifference(
  database: Queryable,
  ofKind?: ComparedRows['kind'],
): Promise<string | null> {
  const told = await listComparedRows(database)
  const isOf = ({ kind, difference }: ComparedRowsTold): boolean =>
    difference !== null && (ofKind === undefined || kind === ofKind)
  return told.find(isOf)?.difference ?? null
}
