/** `cupel audit recompute`: decides every stored report again and shows the differences. */
import {
  CannotResumeError,
  recomputeLevels,
  recomputeReports,
  type RangeDecider,
  type RecomputeLevel,
  type RecomputeResult,
  type RecomputeState,
  type ReportRange,
} from '../../proofs/index.js'
import { readFileSync } from 'node:fs'
import { sha256Hex } from '@cupel/domain'
import { compareLedger } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import { Option, type Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_NOTHING_TO_PROVE,
  EXIT_USAGE,
  reportIdValue,
  wholeNumber,
  readingNotes,
  momentOf,
  VERSION,
} from '@cupel/command-line'
import {
  openArchive,
  archivePlace,
  withConnections,
  type Connections,
  readPublicKeys,
} from '@cupel/command-line/installation'
import {
  addExpectations,
  NOTHING,
  proving,
  requireLog,
  tooFew,
  type ExpectationOptions,
} from './expected-log.js'
import { openStateFile, type StateFile } from './recompute-state.js'
import {
  MAX_THREADS,
  startAuditThreads,
  threadCount,
  type AuditThreads,
  type ThreadSource,
} from './audit-threads.js'
import type { AuditStatement, RecomputeAnswer } from '@cupel/reports/document'
import {
  prepareStatement,
  statementText,
  writeStatement,
  type Signing,
  type WrittenStatement,
} from './statement.js'
import { measureWork, workText, type WorkRate } from './work-rate.js'

interface RecomputeOptions extends ExpectationOptions {
  readonly level?: RecomputeLevel
  readonly since?: string
  readonly report?: string
  readonly limit: number
  readonly archive?: string
  readonly publicKeys?: string
  readonly state?: string
  readonly threads?: number
  readonly pdf?: string
}

type Measured = RecomputeResult & { readonly measured: WorkRate }

/** An answer, and the question as the command understood it. */
interface Answered {
  readonly log: string
  readonly source: Pick<Source, 'archive' | 'checksMacs'>
  readonly levels: readonly RecomputeLevel[]
  readonly since: string | undefined
  readonly result: Measured
  /** How the ledger differs from the log, in sentences: level C would repeat what an altered row says. */
  readonly ledgerDifferences: readonly string[]
}

const DEFAULT_FINDINGS = 100
/** They are attached to the PDF, some 250 bytes each, and are in memory several times while it is made. */
const MAX_STATED_FINDINGS = 100_000

export function registerRecompute(audit: Command, context: CliContext): void {
  addExpectations(audit.command('recompute'))
    .summary('decide stored reports again')
    .description(
      `Decides every report in the log again and names what differs; nothing is changed.
  A  from its record and the events that it names by hash: the same bytes
  B  its labels, lists and policy read again, as of the state it names: the same inputs
  C  its exposure worked out again from the ledger, once its rows are those that the log states: the same, or why that cannot be done
Without --level all three. Of a report id the first record in its partition counts, as for callers.
Ends with ${EXIT_FAILED} if anything differs or cannot be decided again, and with ${EXIT_NOTHING_TO_PROVE} if there is no report.`,
    )
    .addOption(new Option('--level <level>', 'one level only').choices([...recomputeLevels]))
    .option('--since <date>', 'only reports recorded from then on')
    .option('--report <id>', 'only this report', reportIdValue)
    .option('--limit <count>', 'reports listed that differ; all are counted', wholeNumber, DEFAULT_FINDINGS)
    .option(
      '--archive <place>',
      'read an archive (a folder, or s3://bucket/prefix) in place of the log, without database and broker: level A',
    )
    .option('--public-keys <file>', 'with --archive: count manifests that these keys signed')
    .option(
      '--state <file>',
      'keep how far the run has come, and go on there if it was cut off; removed at the end',
    )
    .option(
      '--threads <count>',
      `threads that decide partitions; by default one for each processor, up to ${MAX_THREADS}, and only one for few reports`,
      threadCount,
    )
    .option(
      '--pdf <file>',
      'write question and answer as a PDF too, and its signature to <file>.sig where the signing keys can be read; existing files are replaced',
    )
    .option('--json', 'answer in JSON')
    .action(async (options: RecomputeOptions) => {
      const signing = await signingFor(context, options)
      const answered = await proving(context, options, () => decideAgain(context, options))
      const { log, result, ledgerDifferences } = answered
      const shortfall = tooFew(result.reports, options) ?? ledgerDifferences[0] ?? null
      const isProven = result.isProven && shortfall === null
      const differing = ledgerDifferences.length === 0 ? {} : { ledgerDifferences }
      const json = jsonOf({ ...result, ...differing, isProven })
      // An answer that took hours is printed, even if its PDF fails.
      const pdf = await stateIn(context, options, { signing, answered, json }).then(
        (written) => ({ written, failure: null }),
        (failure: unknown) => ({ written: null, failure }),
      )
      const written = pdf.written === null ? {} : { pdf: snakeCase(pdf.written) }
      answer(context, options, { log, ...json, ...written }, () =>
        [textOf(result), ...(shortfall === null ? [] : [shortfall])].join('\n'),
      )
      if (pdf.failure !== null) throw pdf.failure
      if (pdf.written !== null) context.note(statementText(pdf.written))
      if (isProven) return
      process.exitCode =
        isEmpty(result) && shortfall === null && options.report === undefined
          ? EXIT_NOTHING_TO_PROVE
          : EXIT_FAILED
    })
}

async function signingFor(
  context: CliContext,
  { pdf, limit, publicKeys }: RecomputeOptions,
): Promise<Signing | null> {
  if (pdf === undefined) return null
  if (limit > MAX_STATED_FINDINGS)
    throw new CommandError(
      `A PDF takes up to ${MAX_STATED_FINDINGS.toLocaleString('en-US')} reports that differ: give a smaller --limit.`,
      EXIT_USAGE,
    )
  return await prepareStatement(context, { pdf, publicKeys })
}

/** Null if no PDF is asked for. */
async function stateIn(
  context: CliContext,
  { pdf, report, limit, publicKeys, expectLog, minReports }: RecomputeOptions,
  of: { readonly signing: Signing | null; readonly answered: Answered; readonly json: RecomputeAnswer },
): Promise<WrittenStatement | null> {
  const { log, source, levels, since } = of.answered
  if (pdf === undefined || of.signing === null) return null
  const asked = {
    ...{ archive: source.archive?.stated ?? null, public_keys_sha256: digestOfKeys(context, publicKeys) },
    ...{ levels, since: since ?? null, report_id: report ?? null, limit },
    ...{ expected_log: expectLog ?? null, min_reports: minReports ?? null },
  }
  return await writeStatement(context, pdf, {
    signing: of.signing,
    stated: {
      ...{ command: 'audit recompute', log, asked, checks_macs: source.checksMacs, answer: of.json },
      installation: source.archive?.installation ?? null,
    },
  })
}

const digestOfKeys = (context: CliContext, file: string | undefined): string | null =>
  file === undefined ? null : sha256Hex(readFileSync(context.path(file), 'utf8'))

async function decideAgain(context: CliContext, options: RecomputeOptions): Promise<Answered> {
  const since = momentOf('--since', options.since)
  const from = async (source: Source, levels: readonly RecomputeLevel[]) => {
    const { log, codec, database } = source
    const identity = await requireLog(log, options)
    const stateFile = stateFileOf(context, options, { source, levels, identity, since })
    const { resume } = stateFile ?? {}
    if (resume !== undefined)
      context.note(
        `An earlier run had done ${resume.done.length} of ${resume.ranges.length} partitions. This one goes on.`,
      )
    const ledgerDifferences =
      database === null || !levels.includes('C') ? [] : await compareLedger({ log, codec, database })
    const rate = measureWork({ now: () => performance.now(), cpuUsage: () => process.cpuUsage() })
    const question = { levels, since, reportId: options.report, maxFindings: options.limit }
    let threads: AuditThreads | null = null
    const decidersFor = (ranges: readonly ReportRange[]): readonly RangeDecider[] | undefined => {
      const started = startAuditThreads(
        context,
        { source: threadSource(source, options), task: { kind: 'recompute', question }, own: source },
        { asked: options.threads, ...sizeOf(ranges) },
      )
      threads = started
      const decider: RangeDecider = { decide: (range, onRecords) => started.run('range', range, onRecords) }
      return started.count === 0 ? undefined : Array.from({ length: started.count }, () => decider)
    }
    const result = await recomputeReports({
      ...{ log, codec, database, resume, ...question },
      decidersFor,
      ...(stateFile === null ? {} : { onRange: async (state) => void stateFile.save(state) }),
      ...(options.json === true ? {} : { onProgress: readingNotes(context.note, () => performance.now()) }),
    })
      .catch((cause: unknown) => {
        if (!(cause instanceof CannotResumeError)) throw cause
        throw new CommandError(`${options.state!} cannot be used: ${cause.message}`, EXIT_FAILED, { cause })
      })
      .finally(() => threads?.close())
    stateFile?.remove()
    const measured = rate(result.reports - result.resumedReports)
    return { log: identity, source, levels, since, ledgerDifferences, result: { ...result, measured } }
  }
  if (options.archive !== undefined) return await from(await archived(context, options), ['A'])
  const levels = options.level === undefined ? recomputeLevels : [options.level]
  return await withConnections(context, (connections) => from({ ...connections, archive: null }, levels))
}

/** A partition without records needs no thread. */
function sizeOf(ranges: readonly ReportRange[]): { readonly records: number; readonly most: number } {
  const worthwhile = ranges.filter(({ from, to }) => to > from)
  return { records: worthwhile.reduce((sum, { from, to }) => sum + to - from, 0), most: worthwhile.length }
}

type Source = Pick<Connections, 'log' | 'codec' | 'checksMacs'> & {
  readonly database: Database | null
  /** Null for an archive. */
  readonly config: Connections['config'] | null
  /** Null for the log itself. */
  readonly archive: StatedArchive | null
}

/** The facts about an archive in a statement. */
interface StatedArchive {
  readonly stated: AuditStatement['asked']['archive']
  /** Name of the keys that signed its last manifest. */
  readonly installation: string | null
}

const threadSource = ({ config }: Source, { archive, publicKeys }: RecomputeOptions): ThreadSource =>
  config === null
    ? { kind: 'archive', archive: archive!, publicKeys, gathersFaults: false }
    : { kind: 'connections', config, isAuditor: false }

function stateFileOf(
  context: CliContext,
  { state, report, limit, archive, publicKeys }: RecomputeOptions,
  asked: {
    readonly source: Source
    readonly levels: readonly RecomputeLevel[]
    readonly identity: string
    readonly since: string | undefined
  },
): StateFile<RecomputeState> | null {
  if (state === undefined) return null
  const question = {
    ...{
      version: VERSION,
      log: asked.identity,
      levels: asked.levels,
      limit,
      public_keys_sha256: digestOfKeys(context, publicKeys),
    },
    ...{ since: asked.since ?? null, report: report ?? null, checks_macs: asked.source.checksMacs },
    archive: archive === undefined ? null : archivePlace(context, archive),
  }
  return openStateFile(context.path(state), question, 'cupel audit recompute')
}

/** Lists and ledger are in tables, which an archive does not have. */
async function archived(
  context: CliContext,
  { archive, publicKeys, level = 'A' }: RecomputeOptions,
): Promise<Source> {
  if (level !== 'A')
    throw new CommandError(
      `Level ${level} reads the tables of an installation: an archive proves level A.`,
      EXIT_USAGE,
    )
  const keys = publicKeys === undefined ? null : readPublicKeys(context.path(publicKeys))
  const folder = archivePlace(context, archive!)
  const { log, codec, checksMacs, contents, verifier } = await openArchive(context, folder, {
    publicKeys: keys,
    gathersFaults: false,
  })
  const { number, sha256, time, keyId } = contents
  // An archive that could be opened has a manifest.
  const stated = {
    ...{ place: folder, manifest: number, manifest_sha256: sha256!, manifest_time: time!, key_id: keyId! },
  }
  const ofArchive = { stated, installation: verifier.nameOf(keyId!) ?? null }
  return { log, codec, checksMacs, database: null, config: null, archive: ofArchive }
}

/** The log has no report, and no sign that there ever was one. */
const isEmpty = ({ reports, missingFronts }: RecomputeResult): boolean =>
  reports === 0 && missingFronts.length === 0

function jsonOf({ findings, levels, missingFronts, measured, ...rest }: Measured): RecomputeAnswer {
  return {
    ...snakeCase(rest),
    measured: snakeCase(measured),
    levels: Object.fromEntries(Object.entries(levels).map(([level, counts]) => [level, underscored(counts)])),
    findings: findings.map((finding) => snakeCase(finding)),
    missing_fronts: missingFronts.map((front) => snakeCase(front)),
    // `snakeCase` loses the types of the objects that it renames.
  } as unknown as RecomputeAnswer
}

const underscored = (counts: object): unknown =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name.replaceAll('-', '_'), count]))

function textOf(result: Measured): string {
  const { reports, levels, findings, findingsOmitted, missingFronts } = result
  const rows = Object.entries(levels).map(([level, counts]) => [
    level,
    ...[counts.same, counts.differs, counts.failed, counts['not-derivable'], counts['nothing-recorded']].map(
      (count) => count.toLocaleString('en-US'),
    ),
  ])
  const lines = [`${reports.toLocaleString('en-US')} reports.`, '', table([HEADING, ...rows])]
  if (findings.length > 0) lines.push('')
  for (const { reportId, level, status, paths, reason, topic, partition, offset } of findings) {
    const what = [...paths, ...(reason === null ? [] : [reason])].join(', ')
    lines.push(`  ${reportId} ${level} ${status}: ${what} (${topic}/${partition} at ${offset})`)
  }
  if (findingsOmitted > 0)
    lines.push(`  … and ${findingsOmitted.toLocaleString('en-US')} more (--limit lists them)`)
  for (const { topic, partition, beginsAt } of missingFronts)
    lines.push(
      `  ${topic}/${partition} begins at offset ${beginsAt}: the records before it were deleted, and reports with them.`,
    )
  if (result.erasedReferences > 0) lines.push('', erasedText(result.erasedReferences))
  lines.push('', workText(result.measured), verdictOf(result))
  return lines.join('\n')
}

function erasedText(count: number): string {
  return count === 1
    ? '1 report has an erased customer reference.'
    : `${count.toLocaleString('en-US')} reports have an erased customer reference.`
}

function verdictOf(result: RecomputeResult): string {
  const { levels, missingFronts, isProven } = result
  if (isProven) return 'Nothing differs.'
  if (isEmpty(result)) return NOTHING
  const isSound = Object.values(levels).every(({ differs, failed }) => differs === 0 && failed === 0)
  return isSound && missingFronts.length > 0
    ? 'Nothing differs in what is left, but the log is NOT whole.'
    : 'The log is NOT what these reports were decided from.'
}

const HEADING = ['LEVEL', 'SAME', 'DIFFERS', 'FAILED', 'NOT DERIVABLE', 'NOTHING RECORDED']
