/**
 * Epochs of report numbers. A process makes ids only from an epoch that no other process ever had. Three sources know which epochs are
 * used: the log, the database and, roughly, the clock. If one of them is an older copy, or all but the clock are, no number is handed out a
 * second time (docs/adr/0072).
 */
import { randomUUID } from 'node:crypto'
import { requestedEventId, topicOf, type DomainEvent } from '@cupel/contracts'
import { typeOf, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'

/** Numbers of one epoch. */
export const NUMBERS_PER_EPOCH = 1n << 30n
/** Epochs from 0 on: 2^26 epochs of 2^30 numbers are the 2^56 numbers that have an id. */
export const EPOCHS = 1 << 26
/** The epoch is at least the number of minutes since this time; 2^26 minutes are 127 years. */
const FIRST_MINUTE_MS = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000
/** A claim loses against another one made at the same moment; the next claim begins behind it. */
const MAX_CLAIMS = 100

export interface EpochDeps {
  readonly database: Database
  readonly log: Pick<EventLog, 'append' | 'read' | 'startOffset' | 'endOffset'>
  readonly codec: EventCodec
}

export interface EpochClaim {
  /** CUPEL_INSTANCE of the process, for operators. */
  readonly instance: number
  readonly nowMs: number
}

/**
 * Claims an epoch that no process had. The first claim of an epoch in the log counts, whatever the database says: two databases that do not
 * know of each other, as before and after a failover, give out different epochs. Rejects if the database or the log cannot be reached:
 * without an epoch no report can be made.
 */
export async function claimReportEpoch(deps: EpochDeps, claim: EpochClaim): Promise<number> {
  let seen = await readClaims(deps, 0)
  for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
    const epoch = await takeEpoch(deps.database, Math.max(seen.highest + 1, minuteOf(claim.nowMs)))
    const claimant = randomUUID()
    await deps.log.append('api.report-epoch-claimed', [
      deps.codec.encode(claimed({ epoch, claimant, instance: claim.instance }, claim.nowMs), {
        topic: topicOf('ReportEpochClaimed'),
        key: String(epoch),
      }),
    ])
    const later = await readClaims(deps, seen.next)
    if (later.firstOf.get(epoch) === claimant) return epoch
    seen = { ...later, highest: Math.max(seen.highest, later.highest) }
  }
  throw new Error(`No epoch of report numbers could be claimed in ${MAX_CLAIMS} attempts.`)
}

/** The highest epoch in the log; -1 if there is none. */
export async function highestReportEpoch(deps: Pick<EpochDeps, 'log' | 'codec'>): Promise<number> {
  return (await readClaims(deps, 0)).highest
}

/** Moves the next epoch of the database behind `highest`, the highest epoch in the log. Resolves to whether that was needed. */
export async function passReportEpoch(database: Queryable, highest: number): Promise<boolean> {
  const changed = await database.execute(
    'UPDATE access.report_number SET next = $1::bigint WHERE next < $1::bigint',
    [String(BigInt(highest + 1) * NUMBERS_PER_EPOCH)],
  )
  return changed > 0
}

interface Claims {
  /** -1 if there are none. */
  readonly highest: number
  readonly firstOf: ReadonlyMap<number, string>
  /** Offset behind the last one. */
  readonly next: number
}

/** Reads claims from an offset on: there are a few for each start of an API since the installation was made. */
async function readClaims({ log, codec }: Pick<EpochDeps, 'log' | 'codec'>, from: number): Promise<Claims> {
  const topic = topicOf('ReportEpochClaimed')
  let highest = -1
  const firstOf = new Map<number, string>()
  const to = await log.endOffset(topic, 0)
  const start = Math.max(from, await log.startOffset(topic, 0))
  if (start >= to) return { highest, firstOf, next: to }
  for await (const records of log.read({ topic, partition: 0, from: start, to }))
    for (const record of records) {
      if (typeOf(record) !== 'ReportEpochClaimed') continue
      const { epoch, claimant } = codec.decodeAs('ReportEpochClaimed', record)!.data
      if (!firstOf.has(epoch)) firstOf.set(epoch, claimant)
      highest = Math.max(highest, epoch)
    }
  return { highest, firstOf, next: to }
}

/** A wrong clock only moves the floor: the log and the database make an epoch unique. */
function minuteOf(nowMs: number): number {
  const minute = Math.floor((nowMs - FIRST_MINUTE_MS) / MINUTE_MS)
  return minute > 0 && minute < EPOCHS / 2 ? minute : 0
}

/**
 * The first epoch from `floor` on from which the database gave out no number. The row still holds the lowest unused number, so that an
 * instance of an earlier release that takes blocks from it meets no epoch.
 */
async function takeEpoch(database: Queryable, floor: number): Promise<number> {
  const [row] = await database.query<{ epoch: string }>(
    `UPDATE access.report_number SET next = (greatest((next + $2 - 1) / $2, $1) + 1) * $2
     RETURNING (next / $2 - 1)::text AS epoch`,
    [floor, String(NUMBERS_PER_EPOCH)],
  )
  if (row === undefined)
    throw new Error('access.report_number is empty: the migrations of access did not run')
  const epoch = Number(row.epoch)
  if (epoch >= EPOCHS) throw new RangeError('Every epoch of report numbers is used: no report can be made.')
  return epoch
}

function claimed(
  data: { readonly epoch: number; readonly claimant: string; readonly instance: number },
  nowMs: number,
): DomainEvent<'ReportEpochClaimed'> {
  const id = requestedEventId()
  const claimedAt = new Date(nowMs).toISOString()
  return {
    type: 'ReportEpochClaimed',
    data: { ...data, claimedAt },
    envelope: {
      ...{ id, source: 'cupel/api', time: claimedAt, subject: String(data.epoch) },
      ...{ correlationId: id, causationId: id },
    },
  }
}
