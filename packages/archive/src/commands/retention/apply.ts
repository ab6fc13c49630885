/** Takes the documents of months that an archive keeps as well as the installation does, after it has compared them anew. */
import { holdTables, listRetiredMonths, RebuildInProgressError, type MonthRetired } from '@cupel/projections'
import { reportView } from '@cupel/reports/read-model'
import { operator, requiredReason, withConnections, type Connections } from '@cupel/command-line/installation'
import { type CliContext, CommandError, EXIT_FAILED, EXIT_USAGE } from '@cupel/command-line'
import { examine, type Asked, type Examined, type Plan } from './examine.js'
import type { PlannedMonth } from './plan.js'
import { cutLog, readPlaces, withBareLog } from './cut-log.js'
import { planCuts, type Cut } from './plan-cut.js'
import { takeDocuments } from './take-documents.js'

/** What is due leaves, however many there are. */
export const ALL = 'all' as const

export interface ApplyOptions extends Asked {
  /** The number of documents that the dry run found; without it nothing is changed. */
  readonly accept?: number | typeof ALL | undefined
  readonly reason?: string | undefined
}

export interface Applied extends Plan {
  /** Documents of months that may leave. */
  readonly documents: number
  /** Documents that were taken from their rows; null for a dry run. */
  readonly taken: number | null
}

export interface CutOff extends Plan {
  readonly cuts: readonly Cut[]
  /** Records that may leave the log. */
  readonly records: number
  readonly isCut: boolean
}

/** Throws a CommandError if another number of documents than the accepted one may leave, and while the read model is built anew. */
export async function applyRetention(context: CliContext, options: ApplyOptions): Promise<Applied> {
  const { accept } = options
  const reason = accept === undefined ? null : requiredReason(options.reason)
  return await withHeldTables(context, async (connections) => {
    const { database } = connections
    const { archive, ...plan } = await examine(context, connections, options)
    const leaving = plan.months.filter(({ kept, documents }) => kept === null && documents > 0)
    const documents = leaving.reduce((sum, month) => sum + month.documents, 0)
    if (reason === null) return { ...plan, documents, taken: null }
    if (accept !== ALL && documents !== accept)
      throw notAccepted(documents, 'documents', accept, whyKept(plan))
    let taken = 0
    for (const month of leaving) {
      const retired = retiredOf(month, { plan, archive, reason })
      taken += await takeDocuments(database, retired, archive.contents)
    }
    return { ...plan, documents, taken }
  })
}

/** A rebuild reads what is cut, and fills the rows whose documents are taken. */
async function withHeldTables<T>(
  context: CliContext,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  return await withConnections(context, async (connections) =>
    holdTables(connections.database, reportView, () => work(connections)).catch((cause: unknown) => {
      if (!(cause instanceof RebuildInProgressError)) throw cause
      throw new CommandError(`${cause.message}.`, EXIT_FAILED, { cause })
    }),
  )
}

/** Throws a CommandError as `applyRetention` does, and if this command itself could not read the records from the archive afterwards. */
export async function applyToLog(context: CliContext, options: ApplyOptions): Promise<CutOff> {
  const { accept, before } = options
  const reason = accept === undefined ? null : requiredReason(options.reason)
  return await withHeldTables(context, async (connections) => {
    const { archive, ...plan } = await examine(context, connections, options)
    const { CUPEL_RETENTION_ARCHIVE: named } = connections.config
    if (named !== plan.place)
      throw new CommandError(
        `CUPEL_RETENTION_ARCHIVE must name ${plan.place}, for this command and for every service: they read there what is cut.`,
        EXIT_USAGE,
      )
    const { contents } = archive
    const places = await withBareLog(connections, (log) =>
      readPlaces({ log, database: connections.database }, contents, before),
    )
    const { cuts, refusals } = planCuts(places)
    const staying = plan.months.flatMap(({ month, kept, documents }) =>
      kept !== null || documents > 0
        ? [`${month}: ${kept ?? `${documents} documents are still in the database: they leave first.`}`]
        : [],
    )
    const found = { ...plan, refusals: [...plan.refusals, ...staying, ...refusals], cuts }
    const records = cuts.reduce((sum, cut) => sum + cut.records, 0)
    if (reason === null || found.refusals.length > 0) return { ...found, records, isCut: false }
    if (accept !== ALL && records !== accept) throw notAccepted(records, 'records', accept)
    const last = plan.months.at(-1)
    const isOpen = (await listRetiredMonths(connections.database)).some(
      ({ month, store, endedAt }) => month === last?.month && store === 'log' && endedAt === null,
    )
    // A run that was cut off behind its last record has only to end.
    if (last === undefined || (records === 0 && !isOpen)) return { ...found, records, isCut: false }
    const stated = cuts.map(({ topic, partition, before: at }) => ({ topic, partition, before: at }))
    const retired = retiredOf(last, { plan, archive, reason })
    await cutLog(connections, { ...retired, store: 'log', cuts: stated }, cuts)
    return { ...found, records, isCut: true }
  })
}

const notAccepted = (
  found: number,
  what: string,
  accepted: ApplyOptions['accept'],
  reasons: readonly string[] = [],
): CommandError =>
  new CommandError(
    [
      `${found} ${what} may leave, and ${accepted} were accepted: look at a dry run, and give its number to --accept.`,
      ...reasons,
    ].join('\n'),
    EXIT_USAGE,
  )

/** Why documents of the plan stay. */
const whyKept = ({ months, refusals }: Omit<Plan, 'place' | 'before'>): readonly string[] =>
  refusals.length > 0
    ? refusals
    : months.flatMap(({ month, kept }) => (kept === null ? [] : [`${month}: ${kept}`]))

export async function planRetention(context: CliContext, asked: Asked): Promise<Plan> {
  return await withConnections(context, async (connections: Connections) => {
    const { place, before, months, refusals } = await examine(context, connections, asked)
    return { place, before, months, refusals }
  })
}

function retiredOf(
  { month, archived: reports }: PlannedMonth,
  {
    plan,
    archive,
    reason,
  }: { readonly plan: Plan; readonly archive: Examined['archive']; readonly reason: string },
): MonthRetired {
  const { number: manifest, tree } = archive.contents
  return {
    ...{ month, store: 'database', reports, archive: plan.place, manifest },
    ...{ treeSize: tree?.size ?? 0, treeRoot: tree?.root ?? '', cuts: [] },
    ...{ retiredAt: new Date().toISOString(), retiredBy: operator(), reason },
  }
}
