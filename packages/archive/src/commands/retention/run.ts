/** One run of a retention that repeats: what is due leaves without a number that somebody accepts, and what is refused is stored. */
import {
  endRetentionRuns,
  RebuildInProgressError,
  storeRetentionBegun,
  storeRetentionEnded,
} from '@cupel/projections'
import type { Queryable } from '@cupel/postgres'
import { archivePlace, requiredReason, withConnections } from '@cupel/command-line/installation'
import { CommandError, EXIT_FAILED, EXIT_NOT_FOUND, type CliContext } from '@cupel/command-line'
import { applyRetention, applyToLog, ALL } from './apply.js'
import { monthBefore, type Month } from './plan.js'

export interface RunOptions {
  readonly folder: string
  readonly keepMonths: number
  readonly reason?: string | undefined
  /** Whether the log is cut too. */
  readonly log: boolean
  readonly json?: boolean | undefined
}

export interface Ran {
  readonly place: string
  readonly before: Month
  /** Documents that this run took. */
  readonly taken: number
  /** Records that this run cut from the log. */
  readonly records: number
}

/** Throws a CommandError if something that is due stays, and why is stored. A run that meets another one changes nothing. */
export async function runRetention(context: CliContext, options: RunOptions): Promise<Ran> {
  const { folder, keepMonths, json } = options
  const [place, reason] = [archivePlace(context, folder), requiredReason(options.reason)]
  // Each step opens its own: what starts the database of a home for a command keeps every other one out.
  const before = await withConnections(context, async ({ database }) => {
    await storeRetentionBegun(database, { place, keepMonths })
    return monthBefore(await presentOf(database), keepMonths)
  })
  const asked = { folder, before, json, accept: ALL, reason }
  const { ran, failure, cause } = await due(context, asked, options.log).catch((error: unknown) => {
    if (isUnderWay(error)) throw error
    return { ran: null, failure: (error as Error).message, cause: error }
  })
  await withConnections(context, ({ database }) =>
    storeRetentionEnded(database, { place, keepMonths, failure }),
  )
  if (failure !== null) throw new CommandError(failure, EXIT_FAILED, { cause })
  return { place, before, ...ran! }
}

async function due(
  context: CliContext,
  asked: Parameters<typeof applyRetention>[1],
  cuts: boolean,
): Promise<{ ran: Pick<Ran, 'taken' | 'records'>; failure: string | null; cause?: unknown }> {
  const { months, refusals, taken } = await applyRetention(context, asked)
  const staying = months.flatMap(({ month, kept }) => (kept === null ? [] : [`${month}: ${kept}`]))
  const ran = { taken: taken ?? 0, records: 0 }
  const faults = [...refusals, ...staying]
  if (!cuts || faults.length > 0) return { ran, failure: sentenceOf(faults) }
  const cut = await applyToLog(context, asked)
  return { ran: { ...ran, records: cut.isCut ? cut.records : 0 }, failure: sentenceOf(cut.refusals) }
}

const MAX_FAULTS = 3
const sentenceOf = (faults: readonly string[]): string | null =>
  faults.length === 0 ? null : faults.slice(0, MAX_FAULTS).join(' ')

const isUnderWay = (error: unknown): boolean =>
  error instanceof CommandError && error.cause instanceof RebuildInProgressError

/** Reports are made all the time. A clock that jumped ahead makes no month older than the reports say. */
async function presentOf(database: Queryable): Promise<Date> {
  const [row] = await database.query<{ present: string }>(
    `SELECT (extract(epoch FROM least(now(), (SELECT max(ended_at) FROM report_view.report))) * 1000)::int8 AS present`,
  )
  return new Date(Number(row!.present))
}

/** Throws a CommandError if no run was ever made. */
export async function endRuns(
  context: CliContext,
  folder: string,
  keepMonths: number | null,
): Promise<string> {
  const place = archivePlace(context, folder)
  await withConnections(context, async ({ database }) => {
    if (await endRetentionRuns(database, place, keepMonths)) return
    throw new CommandError(`No run handed months to ${place}.`, EXIT_NOT_FOUND)
  })
  return place
}
