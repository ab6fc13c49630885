/** Which months of reports an archive keeps as well as the database. */
import { ArchiveError } from '../../index.js'
import { openArchive, refusedArchive, archivePlace, withConnections } from '@cupel/command-line/installation'
import { readingNotes, type CliContext, CommandError, EXIT_USAGE } from '@cupel/command-line'
import { compareArchive, readMonths, type Month, type MonthOfReports } from './compare-archive.js'

export interface Plan {
  readonly place: string
  /** The first month that is not looked at. */
  readonly before: Month
  readonly months: readonly (MonthOfReports & {
    readonly archived: number
    /** The archive is whole, and gives every report of the month with the same bytes. */
    readonly isKept: boolean
  })[]
  /** Sentences: why no month is kept, whatever the table says. */
  readonly refusals: readonly string[]
}

export async function planRetention(
  context: CliContext,
  folder: string,
  { keepMonths, now, json }: { readonly keepMonths: number; readonly now: Date; readonly json?: boolean },
): Promise<Plan> {
  const place = archivePlace(context, folder)
  const before = monthBefore(now, keepMonths)
  return await withConnections(context, async ({ database, log }) => {
    const archive = await openArchive(context, place, { publicKeys: null, gathersFaults: true })
    const identity = await log.identity()
    if (archive.contents.log !== identity)
      throw new CommandError(
        `${place} is an archive of the log ${archive.contents.log}, and this is ${identity}.`,
        EXIT_USAGE,
      )
    const months = await readMonths(database, before)
    const note = json === true ? () => undefined : readingNotes(context.note, () => performance.now())
    const { archived, differing } =
      months.length === 0
        ? { archived: new Map<Month, number>(), differing: [] }
        : await compareArchive({ ...archive, database }, note).catch((error: unknown) =>
            error instanceof ArchiveError ? refusedArchive(error) : Promise.reject(error as Error),
          )
    const refusals = [
      ...archive.faults().map(({ file, detail }) => `${place}: ${file}: ${detail}`),
      ...differing.map((id) => `The report ${id} is another one in the archive.`),
    ]
    return {
      ...{ place, before, refusals },
      months: months.map((month) => {
        const found = archived.get(month.month) ?? 0
        return { ...month, archived: found, isKept: refusals.length === 0 && found === month.reports }
      }),
    }
  })
}

/** The first of the kept months: this one and `count` whole ones before it. */
export function monthBefore(now: Date, count: number): Month {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 7)
}
