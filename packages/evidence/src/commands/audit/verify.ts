/** `cupel audit verify`: checks that the log is whole, and that the database is what the log states. */
import {
  meaningOfProblem,
  placeOfProblem,
  problemOfRow,
  readErasures,
  verifyLog,
  type Erasure,
  type VerifyResult,
} from '../../proofs/index.js'
import { topicSpecs } from '@cupel/contracts'
import { deadLetterGroups, deadLetterTopic } from '@cupel/event-log'
import type { PublicKey } from '@cupel/signing'
import {
  readAcceptedLosses,
  readCosigning,
  transparencyFolder,
  uncosignedOf,
  type AcceptedLosses,
} from '../../transparency/index.js'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type CliContext,
  EXIT_FAILED,
  EXIT_NOTHING_TO_PROVE,
  wholeNumber,
  readingNotes,
  sinceText,
  keptHistoriesOf,
} from '@cupel/command-line'
import {
  archiveJson,
  archiveLines,
  readArchive,
  treeText,
  type ReadArchive,
  openArchive,
  archivePlace,
  withConnections,
  type Connections,
  comparedWith,
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
import {
  compareLeaves,
  leafProblems,
  leavesCompared,
  leavesJson,
  leavesLines,
  type ComparedLeaves,
} from './compared-leaves.js'
import { compareHistories } from './tables/kept-histories.js'
import { compareTables } from './tables/compare-tables.js'
import { addWitnesses, witnessPolicyOf, type WitnessOptions } from '../verify/witnesses.js'
import { erasureJson, erasureLines } from './erasure-text.js'
import { signatureLines } from './signature-text.js'

/** Problems that are listed; all are counted. */
const MAX_PROBLEMS = 200
/** Longer than a projector takes to write the files of its signatures. */
const FILES_GRACE_MS = 10_000
const LEAST_LEAVES =
  'fail unless so many leaves of the transparency log were compared, or an archive has their records'
const PUBLISHED = 'published folder of the transparency log, with checkpoint and tile'

export function registerVerify(audit: Command, context: CliContext): void {
  addWitnesses(addExpectations(audit.command('verify')))
    .summary('check that the log is whole and well-formed')
    .description(
      `Reads every record of the log and changes nothing: each is an event of its schema, each report has the hash its
record says, ids stand where their names put them and never say two things, no record is missing, and every row of every read
model and of the primary tables is what the log states. Compares every record, with its place and its time, with its leaf in the transparency log:
in the database, in the home and in CUPEL_CHECKPOINT_FOLDER, and says so if there are none. Every report must carry a signature, once the
log names a key of reports: of a key that the log names, or with --public-keys only of those of the file, so that an auditor needs nothing
secret. Ends with ${EXIT_FAILED} if a problem was found or less is there than expected,
and with ${EXIT_NOTHING_TO_PROVE} where the log is empty.`,
    )
    .option('--min-leaves <number>', LEAST_LEAVES, wholeNumber)
    .option('--transparency <folder>', PUBLISHED)
    .option('--public-keys <file>', 'count only signatures of these keys, a verifier key per line')
    .option('--json', 'answer in JSON')
    .action((options: VerifyOptions) => prove(context, options))
}

export function registerVerifyArchive(archive: Command, context: CliContext): void {
  addWitnesses(addExpectations(archive.command('verify')))
    .summary('check that an archive is whole, and what is in it')
    .argument('<place>', 'the archive: a folder, or s3://bucket/prefix')
    .description(
      `Reads every file of an archive and changes nothing: each manifest is signed and continues those before, each segment has the bytes
that were signed, no record is missing, and every record and report is what \`cupel audit verify\` asks of the log. It needs the
folder and public keys, and neither a database nor a broker: --public-keys names a file of keys, else those in the home count.
MACs are checked where CUPEL_RECORD_KEYS_FILE names the record keys. An archive without its last manifests is a whole, shorter one:
give the number that \`cupel archive create\` printed to --min-leaves. Ends with ${EXIT_FAILED} if a problem was found or less is
there than expected, and with ${EXIT_NOTHING_TO_PROVE} where the archive is empty. --transparency compares every record of the archive with its leaf
in the published files of the transparency log too.`,
    )
    .option('--min-leaves <number>', LEAST_LEAVES, wholeNumber)
    .option('--transparency <folder>', PUBLISHED)
    .option('--public-keys <file>', 'count only signatures of these keys, a verifier key per line')
    .option('--json', 'answer in JSON')
    .action((folder: string, options: VerifyOptions) => prove(context, { ...options, archive: folder }))
}

async function prove(context: CliContext, options: VerifyOptions): Promise<void> {
  // An invalid key is reported before the log is read.
  witnessPolicyOf(options)
  const result = await proving(context, options, () => verify(context, options))
  const shortfall =
    tooFew(result.reports, options) ??
    tooFewLeaves(result, options) ??
    tooFewWitnesses(result.leaves, options)
  const isProven = result.problemCount === 0 && result.records > 0 && shortfall === null
  const failure = result.problemCount === 0 && shortfall === null ? EXIT_NOTHING_TO_PROVE : EXIT_FAILED
  const exitCode = isProven ? 0 : failure
  answer(context, options, { ...jsonOf(result, isProven), exit_code: exitCode }, () =>
    [textOf(result), ...(shortfall === null ? [] : [shortfall]), `Exit code ${exitCode}.`].join('\n'),
  )
  if (!isProven) process.exitCode = exitCode
}

export interface VerifyOptions extends ExpectationOptions, WitnessOptions {
  readonly publicKeys?: string
  /** Read in place of the log. */
  readonly archive?: string
  readonly minLeaves?: number
  readonly transparency?: string
}

export interface Verified extends VerifyResult {
  readonly macsChecked: boolean
  /** The erasures that the log records. */
  readonly erasures: readonly Erasure[]
  readonly leaves: ComparedLeaves | null
  /** Null if the log itself was read. */
  readonly archive: ReadArchive | null
  /** What this check cannot see, as sentences: they are no problems. */
  readonly warnings: readonly string[]
}

/** An archive has the records of the leaves that its last manifest names. */
function tooFewLeaves({ leaves, archive }: Verified, { minLeaves = 0 }: VerifyOptions): string | null {
  const has = archive === null ? leavesCompared(leaves) : (archive.tree?.size ?? 0)
  if (has >= minLeaves) return null
  return `${archive === null ? 'The log was compared with' : 'The archive has the records of'} ${number(has)} leaves, and at least ${number(minLeaves)} are expected.`
}

/** The required witnesses count even if there is no transparency log at all. */
function tooFewWitnesses(compared: ComparedLeaves | null, { witness = [] }: VerifyOptions): string | null {
  if (witness.length === 0 || (compared?.comparison?.cosigned ?? null) !== null) return null
  return 'No checkpoint of the transparency log was compared that enough of the witnesses cosigned.'
}

async function verify(context: CliContext, options: VerifyOptions): Promise<Verified> {
  const publicKeys =
    options.publicKeys === undefined ? null : readPublicKeys(context.path(options.publicKeys))
  if (options.archive !== undefined)
    return await verifyArchived(context, options, {
      publicKeys,
      folder: archivePlace(context, options.archive),
    })
  const work = (connections: Connections) => verifyConnected(context, options, { publicKeys, connections })
  return await withConnections(context, work, { isAuditor: publicKeys !== null })
}

type PublicKeys = readonly PublicKey[] | null

export interface VerifyParts {
  readonly publicKeys: PublicKeys
  readonly connections: Pick<Connections, 'log' | 'codec' | 'database' | 'config' | 'checksMacs'>
  /** How long files may be behind the database, in milliseconds. */
  readonly graceMs?: number
  /** Whether rows are compared with the log: read models, primary tables and the topic of latest reports. */
  readonly comparesRows?: boolean
}

const NOTHING_ACCEPTED: AcceptedLosses = { leaves: [], acceptances: [] }

/** The findings of `cupel audit verify` in an installation. */
export async function verifyConnected(
  context: CliContext,
  options: VerifyOptions,
  { publicKeys, connections, graceMs = FILES_GRACE_MS, comparesRows = true }: VerifyParts,
): Promise<Verified> {
  const { log, codec, database, config, checksMacs } = connections
  const identity = await requireLog(log, options)
  const verified = await verifyLog({
    ...{ log, codec, database: comparesRows ? database : null, maxProblems: MAX_PROBLEMS, publicKeys },
    topics: [...topicSpecs, ...deadLetters],
    ...readingOptions(context, options),
  })
  const erasures = await readErasures({ log, codec })
  const evidence = comparedWith(context, config, publicKeys)
  const { leaves: accepted, acceptances } =
    evidence === null ? NOTHING_ACCEPTED : await readAcceptedLosses({ log, codec, database, ...evidence })
  const tables = comparesRows ? await compareTables({ log, codec, database, acceptances }) : []
  const histories = await compareHistories(database, keptHistoriesOf(context))
  const cosigning = await readCosigning(database, identity)
  const uncosigned = cosigning === null ? null : uncosignedOf(cosigning)
  const result = {
    ...{ ...verified, erasures, macsChecked: checksMacs, archive: null },
    warnings: [uncosigned, histories.warning].filter((sentence) => sentence !== null),
    problems: [...verified.problems, ...tables, ...histories.problems].slice(0, MAX_PROBLEMS),
    problemCount: verified.problemCount + tables.length + histories.problems.length,
  }
  if (evidence === null) return publicKeys === null ? withTree(result, null) : { ...result, leaves: null }
  const { verifier } = evidence
  const [folder, ...copies] =
    options.transparency === undefined
      ? evidence.folders.map((each) => transparencyFolder(each, identity))
      : [context.path(options.transparency)]
  const leaves = await compareLeaves({
    ...{ log, codec, database, topics: topicSpecs, verifier, endsEarlier: false, checksTimes: true },
    ...{ publishGraceMs: graceMs, accepted, acceptances, folder: folder!, copies },
    witnesses: witnessPolicyOf(options),
  })
  return withTree(result, leaves)
}

/** A log that names a key of checkpoints has a transparency log: without one, nothing shows what was changed. */
function withTree(result: Omit<Verified, 'leaves'>, leaves: ComparedLeaves | null): Verified {
  const isGone = (leaves?.comparison ?? null) === null && result.signatures.checkpointKeys > 0
  const gone = problemOfRow('table', { row: 'transparency.log' }, TREE_GONE)
  return {
    ...{ ...result, leaves, warnings: [...result.warnings, ...unleafed(leaves)] },
    problems: isGone ? [gone, ...result.problems] : result.problems,
    problemCount: result.problemCount + leafProblems(leaves) + (isGone ? 1 : 0),
  }
}

/** Longer than a projector takes to give records their leaves. */
const MAX_UNLEAFED_MS = 60_000

function unleafed(leaves: ComparedLeaves | null): string[] {
  const { pending, pendingSince } = leaves?.comparison ?? { pending: 0, pendingSince: null }
  if (pendingSince === null || Date.now() - Date.parse(pendingSince) <= MAX_UNLEAFED_MS) return []
  return [
    `${number(pending)} records have had no leaf since ${pendingSince}: nothing would show a change of them. Start the projector, or see \`cupel status\`.`,
  ]
}

const TREE_GONE =
  'The log names a key of checkpoints, and there is no transparency log or no key of it: its rows and files, or the signing keys, are gone.'

/** An archive is compared with its own manifests; of the transparency log, later leaves are of records that it cannot have. */
async function verifyArchived(
  context: CliContext,
  options: VerifyOptions,
  { publicKeys, folder }: { readonly publicKeys: PublicKeys; readonly folder: string },
): Promise<Verified> {
  const opened = await openArchive(context, folder, { publicKeys, gathersFaults: true })
  const { log, codec, contents, checksMacs, verifier } = opened
  await requireLog(log, options)
  const verified = await verifyLog({
    ...{ log, codec, database: null, maxProblems: MAX_PROBLEMS, publicKeys },
    topics: [...contents.topics.values()],
    ...readingOptions(context, options),
  })
  const { leaves: accepted, acceptances } = await readAcceptedLosses({ log, codec, database: null, verifier })
  const leaves =
    options.transparency === undefined
      ? null
      : await compareLeaves({
          ...{ log, codec, database: null, accepted, acceptances, verifier, copies: [] },
          ...{ endsEarlier: true, checksTimes: true, publishGraceMs: 0 },
          witnesses: witnessPolicyOf(options),
          topics: topicSpecs.filter(({ name }) => contents.topics.has(name)),
          folder: context.path(options.transparency),
          heads: contents.trees,
        })
  const erasures = await readErasures({ log, codec })
  // Read last: a damaged segment is noticed when its records are.
  const archive = readArchive(opened)
  const problemCount = verified.problemCount + archive.faults.length + leafProblems(leaves)
  const warnings = shorterArchive(archive, leaves, options)
  return { ...verified, erasures, macsChecked: checksMacs, leaves, archive, problemCount, warnings }
}

/** An archive without its last manifests is a whole one: only the tree of the log tells them apart. */
function shorterArchive(
  { tree, time }: ReadArchive,
  leaves: ComparedLeaves | null,
  { minLeaves }: VerifyOptions,
): string[] {
  const { comparison } = leaves ?? { comparison: null }
  const behind = comparison === null ? 0 : comparison.leaves - comparison.records
  if (behind > 0)
    return [
      `The transparency log has ${behind.toLocaleString('en-US')} leaves behind the end of this archive.`,
    ]
  return comparison !== null || minLeaves !== undefined
    ? []
    : [
        `A shorter archive looks the same: compare its end (${treeText(tree)}, of ${time}) with what \`cupel archive create\` printed, or give --min-leaves or --transparency.`,
      ]
}

const deadLetters = deadLetterGroups.map(deadLetterTopic)

function readingOptions(context: CliContext, { json }: VerifyOptions) {
  return {
    rawTopics: new Set(deadLetters.map(({ name }) => name)),
    ...(json === true ? {} : { onProgress: readingNotes(context.note, () => performance.now()) }),
  }
}

function jsonOf(
  { topics, problems, leaves, archive, signatures, erasures, ...rest }: Verified,
  isProven: boolean,
): object {
  return {
    ...snakeCase(rest),
    signatures: { ...snakeCase(signatures), keys: signatures.keys.map((key) => snakeCase(key)) },
    is_proven: isProven,
    transparency: leavesJson(leaves),
    ...(archive === null ? {} : { archive: archiveJson(archive) }),
    topics: topics.map((topic) => snakeCase(topic)),
    erasures: erasures.map(erasureJson),
    problems: problems.map((problem) => ({ ...snakeCase(problem), meaning: meaningOfProblem[problem.kind] })),
  }
}

function textOf(result: Verified): string {
  const { topics, reports, failures, repeatedReports, records, problems, problemCount, archive } = result
  const rows = topics
    .filter((topic) => topic.records > 0)
    .flatMap(({ topic, byType, repeats }) =>
      Object.entries(byType).map(([type, count], index) => [
        index === 0 ? topic : '',
        type,
        number(count),
        index === 0 ? number(repeats) : '',
      ]),
    )
  const lines = [
    `Log ${result.log}: ${number(records)} records.`,
    '',
    table([['TOPIC', 'EVENT', 'RECORDS', 'REPEATS'], ...rows]),
    '',
    `${number(reports)} reports, ${number(failures)} failed screenings, ${number(repeatedReports)} decided again and left out.`,
  ]
  for (const problem of problems)
    lines.push(`  ${problem.kind}: ${placeOfProblem(problem)}: ${problem.detail}${sinceText(problem.since)}`)
  const inLog = problemCount - leafProblems(result.leaves) - (archive?.faults.length ?? 0)
  if (inLog > problems.length) lines.push(`  … and ${number(inLog - problems.length)} more`)
  for (const kind of new Set(problems.map((problem) => problem.kind)))
    lines.push(`  ${kind} means: ${meaningOfProblem[kind]}`)
  lines.push(...erasureLines(result.erasures))
  lines.push(...signatureLines(result.signatures, result.macsChecked))
  if (archive !== null) lines.push(...archiveLines(archive))
  lines.push(...leavesLines(result.leaves))
  lines.push(...result.warnings)
  if (problemCount > 0) lines.push(`${number(problemCount)} PROBLEMS were found.`)
  else lines.push(records > 0 ? 'No problem was found.' : `The log is empty. ${NOTHING}`)
  return lines.join('\n')
}

const number = (value: number): string => value.toLocaleString('en-US')
