/**
 * Imports a label file: reads and checks all of it, compares it with the current labels of its sets, appends the changes, and
 * publishes them. Each set changes all at once or not at all. A killed import leaves nothing visible.
 */
import { basename } from 'node:path'
import { requestedEventId } from '@cupel/contracts'
import { authorityOriginOf } from '@cupel/domain'
import { labelFormats } from '../formats/formats.js'
import { SetRefusedError } from '../formats/label-source.js'
import type { Queryable } from '@cupel/postgres'
import { LABEL_TOPIC, type PublishedSet } from '../read-model/index.js'
import { createLabelAppender } from './append-labels.js'
import {
  ImportRefusedError,
  type LabelImportDeps,
  type LabelImportProgress,
  type LabelImportRequest,
  type LabelImportResult,
  type LabelImportSummary,
  type SetSummary,
} from './import-request.js'
import { labelEvents, published, retired } from './label-events.js'
import { setKey } from './set-key.js'
import { endedBy, lostBy, removalsOf, takeOverText, type Ended, type SetImport } from './ended-labels.js'
import { badOption, replacedNames, requireLater, requireReplaced } from './replaced-sets.js'
import { unreadWarnings, warningsOf } from './import-warnings.js'
import { createSpools, type SpoolFactory } from './label-spool.js'
import {
  catchUpLabelView,
  LabelViewStalledError,
  waitForLabelView,
  withLabelView,
} from './label-view-follower.js'
import { readLabels, rowsOf, tallyOfFile, unreadOf, type LeftOut, type ReadLabels } from './read-labels.js'
import { changesOf, compareSet, countChanges, type ChangeCounts } from './set-changes.js'
import { requireNewState } from './superseded-states.js'
import { lockSources, releaseSources, requireLocks } from './source-locks.js'

const MAX_NAME_CHARACTERS = 200

/**
 * Imports one file. An expected refusal is a result. Rejects if the log or the database is unavailable, or if the label view does not
 * follow; then it is safe to import again.
 */
export async function importLabels(
  request: LabelImportRequest,
  deps: LabelImportDeps,
): Promise<LabelImportResult> {
  const startedAt = performance.now()
  const leftOut = tallyOfFile()
  try {
    const checked = checkRequest(request)
    return await withLabelView(deps, () =>
      deps.database.withConnection(async (connection) => {
        const spools = createSpools(connection, deps.memoryLabels)
        try {
          return await runImport({ request: checked, deps, connection, spools, leftOut, startedAt })
        } finally {
          await spools.close()
        }
      }),
    )
  } catch (error) {
    if (error instanceof SetRefusedError) {
      const { refusal, message, line } = error
      return { status: 'refused', refusal, message, line, removals: null, lost: [], ...leftOutOf(leftOut) }
    }
    if (error instanceof ImportRefusedError) {
      const { refusal, message, line, removals, lost } = error
      return { status: 'refused', refusal, message, line, removals, lost, ...leftOutOf(leftOut) }
    }
    throw error
  }
}

type CheckedRequest = LabelImportRequest & { readonly dataset: string }

/** Checks the options before the file is read. */
function checkRequest(request: LabelImportRequest): CheckedRequest {
  const dataset = request.set ?? basename(request.file)
  for (const [option, name] of [
    ['--set', dataset],
    ['--source', request.source],
  ] as const) {
    if (name !== undefined && !isName(name))
      throw badOption(`${option} must be 1 to ${MAX_NAME_CHARACTERS} printable characters without a slash`)
  }
  if (request.asOf !== undefined && Number.isNaN(Date.parse(request.asOf)))
    throw badOption(`--as-of is not a date: ${request.asOf}`)
  if (request.acceptRemovals !== undefined && (request.reason ?? '').trim() === '')
    throw badOption('--accept-removals needs --reason: it is recorded who accepted and why')
  if (request.acceptUnreadable !== undefined && (request.reason ?? '').trim() === '')
    throw badOption('--accept-unreadable needs --reason: it is recorded who accepted and why')
  if (request.append === true && request.whole === true)
    throw badOption('--append adds a part, so the file cannot be the --whole list')
  return { ...request, dataset }
}

const isName = (name: string): boolean =>
  name.length > 0 && name.length <= MAX_NAME_CHARACTERS && /^[^\p{C}/]+$/u.test(name)

interface Run {
  readonly request: CheckedRequest
  readonly deps: LabelImportDeps
  readonly connection: Queryable
  readonly spools: SpoolFactory
  readonly leftOut: LeftOut
  readonly startedAt: number
}

async function runImport(run: Run): Promise<LabelImportResult> {
  const { request, deps, connection, spools, leftOut } = run
  const report = progressOf(deps)
  const read = await readLabels(request, spools, {
    leftOut,
    now: new Date(),
    onRows: (rows) => report('reading', rows),
  })
  requireAcceptedUnreadable(read, request)
  requireAuthorities(read, request)
  requirePast(read, request)
  const replaces = replacedNames(read, request)
  const sources = [...read.sources, ...replaces].map(({ source }) => source)
  await lockSources(connection, sources, () => report('waiting-for-lock', 0))
  try {
    report('comparing', 0)
    await catchUpLabelView(deps)
    const sets = await compareAll(run, read, await requireReplaced(deps.database, replaces))
    requireRecent(sets, request)
    const ended = await endedBy(deps.database, sets)
    requireAcceptedRemovals(sets, ended, request)
    const end = request.dryRun === true ? null : await appendAll(run, read, { sets, ended }, report)
    return summaryOf(run, read, { sets, ended }, await becameVisible(run, end, report))
  } finally {
    await releaseSources(connection, sources)
  }
}

/** An operator accepts a number of rows that they have seen. A schedule publishes whatever comes, and the set is incomplete. */
function requireAcceptedUnreadable(
  { leftOut }: ReadLabels,
  { acceptUnreadable, refreshConfigured }: LabelImportRequest,
): void {
  const { count } = leftOut.unreadable.result()
  if (acceptUnreadable === undefined || acceptUnreadable === count || refreshConfigured === true) return
  throw new ImportRefusedError(
    'unreadable-rows',
    `${count} rows cannot be read, not ${acceptUnreadable}. Look at each of them, then import again with ` +
      `--accept-unreadable ${count} --reason "…"`,
  )
}

/** No list is published more than a day from now, in any time zone. */
const MAX_AHEAD_MS = 86_400_000

/** A mistyped year would make an old list look current. Rows with such a date are rejected individually. */
function requirePast({ publishedAt }: ReadLabels, { asOf }: LabelImportRequest): void {
  const latest = Date.now() + MAX_AHEAD_MS
  if (asOf !== undefined && Date.parse(asOf) > latest) throw badOption(`--as-of lies in the future: ${asOf}`)
  if (publishedAt !== null && Date.parse(publishedAt) > latest)
    throw new ImportRefusedError('malformed', `The list is dated in the future: ${publishedAt.slice(0, 10)}`)
}

/** Only an authority's own list can be whole. */
function requireAuthorities({ sources }: ReadLabels, { whole }: LabelImportRequest): void {
  const other = sources.find(({ source }) => authorityOriginOf(source) === null)
  if (whole === true && other !== undefined)
    throw badOption(`--whole is for the list of an authority, and ${other.source} is not the list of one`)
}

async function compareAll(
  { request, deps, spools }: Run,
  read: ReadLabels,
  replaced: readonly PublishedSet[],
): Promise<readonly SetImport[]> {
  const wholeOf = labelFormats.get(request.format)?.wholeAuthorityList
  const importedAt = new Date().toISOString()
  const sets: SetImport[] = []
  for (const labels of read.sources) {
    const file = {
      labels,
      dataset: read.dataset,
      append: request.append === true,
      // Whom an unreadable row designates is unknown, so nobody's designation ends until the rows are accepted.
      endsNothing: unreadOf(read, request) > 0,
      whole:
        request.whole === true || (wholeOf !== undefined && authorityOriginOf(labels.source) === wholeOf),
      formatDate: read.publishedAt,
      list: read.list,
      operatorDate: request.asOf === undefined ? null : new Date(request.asOf).toISOString(),
      importedAt,
      replaced,
    }
    const comparison = await compareSet(deps.database, file, spools)
    requireLater(comparison)
    await requireNewState(deps.database, comparison, { ...request, sha256: read.sha256 })
    const counts = await countChanges(comparison)
    sets.push({ importId: requestedEventId(), comparison, importedAt, counts })
  }
  return sets
}

/** A recent download of last year's list is still last year's list. */
function requireRecent(sets: readonly SetImport[], { notBefore }: LabelImportRequest): void {
  if (notBefore === undefined) return
  const old = sets.find(({ comparison: { asOf } }) => asOf === null || asOf < notBefore)
  if (old === undefined) return
  const { set, asOf } = old.comparison
  const dated = asOf === null ? 'has no date' : `is dated ${asOf.slice(0, 10)}`
  throw new ImportRefusedError(
    'too-old',
    `${setKey(set)} ${dated}, and must not be older than ${notBefore.slice(0, 10)}`,
  )
}

/** Too many removals reject the whole file, unless the operator accepts exactly their number. */
function requireAcceptedRemovals(
  sets: readonly SetImport[],
  ended: Ended,
  request: LabelImportRequest,
): void {
  const guarded = removalsOf(sets, ended).filter(({ isGuarded }) => isGuarded)
  const removals = guarded.reduce((sum, one) => sum + one.removals, 0)
  if (removals === 0 || removals === request.acceptRemovals) return
  const given = request.acceptRemovals === undefined ? '' : ` (not ${request.acceptRemovals})`
  throw new ImportRefusedError(
    'too-many-removals',
    `The import would ${guarded.map(({ what }) => what).join(' and ')}. ` +
      `If that is right, import again with --accept-removals ${removals} --reason "…"${given}`,
    { removals, lost: ended.lost },
  )
}

/** Appends all labels, then publishes all sets together. Resolves to the offset after the last publication. */
async function appendAll(
  { request, deps, connection, leftOut }: Run,
  read: ReadLabels,
  { sets, ended }: { readonly sets: readonly SetImport[]; readonly ended: Ended },
  report: Report,
): Promise<number> {
  const appender = createLabelAppender(deps, (events) => report('appending', events))
  for (const set of sets) {
    const key = setKey(set.comparison.set)
    for await (const event of labelEvents(set, changesOf(set.comparison))) await appender.add(event, key)
    for (const label of ended.replaced.get(set.comparison) ?? []) await appender.add(retired(set, label), key)
  }
  await appender.flush()
  // If the connection was lost, so were its locks, and another import of the source may have compared against the same state.
  await requireLocks(connection)
  report('publishing', appender.appended())
  const records = sets.map((set) => {
    const { counts, comparison } = set
    const { authorityOrigin } = comparison
    const event = published(set, {
      sha256: read.sha256,
      confirmedAt:
        request.confirmed?.authorities.includes(authorityOrigin) === true ? request.confirmed.at : null,
      lostDesignations: lostBy(comparison, ended),
      total: counts.total,
      added: counts.added + counts.changed,
      unchanged: counts.unchanged,
      retired: counts.retired + counts.changed + (ended.replaced.get(comparison)?.length ?? 0),
      refused: leftOut.refused.result().count,
      rows: rowsOf(read, request, comparison.inForce),
      acceptedRemovals: request.acceptRemovals ?? null,
      reason: request.reason ?? null,
      importedBy: request.importedBy,
      refreshConfigured: request.refreshConfigured === true,
    })
    return deps.codec.encode(event, { topic: LABEL_TOPIC, key: setKey(comparison.set) })
  })
  const positions = await deps.log.append('labels.publish', records)
  return Math.max(...positions.map(({ offset }) => offset)) + 1
}

/** The publication is final even if the label view does not show it yet. */
async function becameVisible({ request, deps }: Run, end: number | null, report: Report): Promise<boolean> {
  if (end === null || request.returnEarly === true) return false
  report('projecting', 0)
  try {
    await waitForLabelView(deps, end)
    return true
  } catch (error) {
    if (!(error instanceof LabelViewStalledError)) throw error
    deps.logger.warn({ err: error }, 'The import is published but the label view does not show it yet')
    return false
  }
}

function summaryOf(
  { request, leftOut, startedAt }: Run,
  read: ReadLabels,
  { sets, ended }: { readonly sets: readonly SetImport[]; readonly ended: Ended },
  visible: boolean,
): LabelImportResult {
  const sum = (count: (counts: ChangeCounts) => number): number =>
    sets.reduce((total, set) => total + count(set.counts), 0)
  const durationMs = Math.round(performance.now() - startedAt)
  return {
    status: request.dryRun === true ? 'dry-run' : 'imported',
    file: request.file,
    format: request.format,
    sha256: read.sha256,
    sets: sets.map(setSummary),
    rows: read.rows,
    rowsRead: read.rowsRead,
    added: sum((counts) => counts.added),
    changed: sum((counts) => counts.changed),
    unchanged: sum((counts) => counts.unchanged),
    retired: sum((counts) => counts.retired),
    replaced: [...ended.replaced.values()].reduce((total, labels) => total + labels.length, 0),
    lost: ended.lost,
    repeated: sum((counts) => counts.repeated),
    ...leftOutOf(leftOut),
    warnings: [
      ...unreadWarnings(read, request),
      ...sets.flatMap(({ comparison }) => warningsOf(comparison, request)),
      ...[...ended.byAuthority.values()].flatMap(({ takeOver }) =>
        takeOver === null
          ? []
          : [`The import ${request.dryRun === true ? 'would ' : ''}${takeOverText(takeOver)}`],
      ),
    ],
    visible,
    durationMs,
    rowsPerSecond: Math.round(read.rows / Math.max(durationMs / 1_000, 0.001)),
  }
}

const leftOutOf = ({
  unreadable,
  refused,
  skipped,
}: LeftOut): Pick<LabelImportSummary, 'unreadable' | 'refused' | 'skipped'> => ({
  unreadable: unreadable.result(),
  refused: refused.result(),
  skipped: skipped.result(),
})

function setSummary({ importId, comparison, counts }: SetImport): SetSummary {
  const { set, asOf, historical, authorityOrigin, whole } = comparison
  const { added, changed, unchanged, retired, repeated, total } = counts
  return {
    ...{ ...set, importId, asOf, historical, authority: authorityOrigin !== '', whole },
    ...{ total, added, changed, unchanged, retired, repeated },
  }
}

type Report = (phase: LabelImportProgress['phase'], rows: number) => void

/** Rows per second are measured from the last report of the previous phase. */
function progressOf({ onProgress }: LabelImportDeps): Report {
  let current: LabelImportProgress['phase'] | null = null
  let phaseSince = performance.now()
  let reportedAt = phaseSince
  return (phase, rows) => {
    if (phase !== current) {
      current = phase
      phaseSince = reportedAt
    }
    reportedAt = performance.now()
    const seconds = (reportedAt - phaseSince) / 1_000
    onProgress?.({ phase, rows, rowsPerSecond: seconds > 0 ? Math.round(rows / seconds) : 0 })
  }
}
