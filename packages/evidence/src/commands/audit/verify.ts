/** `cupel audit verify`: checks that the log is whole, and that the database is what the log states. */
import { compareReadModels, readErasures, verifyLog, type Problem } from '../../proofs/index.js'
import { topicOf, topicSpecs } from '@cupel/contracts'
import { placeOf, rangesOf } from '@cupel/event-log'
import { together } from '@cupel/kit/concurrency'
import { verifierKey, type PublicKey } from '@cupel/signing'
import {
  offsetsBeforeKeys,
  readAcceptedLosses,
  readCosigning,
  storeOfLog,
  uncosignedOf,
  type AcceptedLosses,
  type LeafRun,
} from '../../transparency/index.js'
import type { Command } from 'commander'
import {
  answer,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_NOTHING_TO_PROVE,
  EXIT_USAGE,
  keptHistoriesOf,
  wholeNumber,
} from '@cupel/command-line'
import {
  archivePlace,
  comparedWith,
  type ComparedWith,
  publishedAt,
  readPublicKeys,
  withConnections,
  type Connections,
} from '@cupel/command-line/installation'
import { addExpectations, proving, requireLog, tooFew } from './expected-log.js'
import { compareLeaves, leavesCompared, type ComparedLeaves } from './compared-leaves.js'
import { openKept, sinceOf, type Keeper } from './kept-verification.js'
import { MAX_THREADS, startAuditThreads, threadCount, type AuditThreads } from './audit-threads.js'
import { compareHistories } from './tables/kept-histories.js'
import { compareTables } from './tables/compare-tables.js'
import type { Verified } from './verified.js'
import { verifyArchived } from './verify-archive.js'
import { compareAgain, keptRunOf, lostSince, type ComparedAgain } from './verify-kept.js'
import {
  deadLetters,
  MAX_PROBLEMS,
  readingOptions,
  verifierOf,
  type VerifyOptions,
} from './verify-options.js'
import { isEmpty, jsonOf, textOf } from './verify-text.js'
import { withTree } from './with-tree.js'
import { addWitnesses, witnessPolicyOf } from '../verify/witnesses.js'

/** Longer than a projector takes to write the files of its signatures. */
const FILES_GRACE_MS = 10_000
const LEAST_LEAVES =
  'fail unless so many leaves of the transparency log were compared, or an archive has their records'
const THREADS = `threads that share the work; by default one for each processor, up to ${MAX_THREADS}, and only one for few records`
const PUBLISHED =
  'published files of the transparency log, with checkpoint and tile: a folder, or s3://bucket/prefix'

export function registerVerify(audit: Command, context: CliContext): void {
  addWitnesses(addExpectations(audit.command('verify')))
    .summary('check that the log is whole and well-formed')
    .description(
      `Reads every record of the log and changes nothing: each is an event of its schema, each report has the hash its
record says, ids stand where their names put them and never say two things, no record is missing, and every row of every read
model and of the primary tables is what the log states. With --kept, a later run reads what came since. Compares every record, with its place and its time, with its leaf in the transparency log:
in the database, in the home and in CUPEL_CHECKPOINT_FOLDER, and says so if there are none. Every report must carry a signature, once the
log names a key: of a key that the log names, or with --public-keys only of those of the file, so that an auditor needs nothing
secret. Ends with ${EXIT_FAILED} if a problem was found or less is there than expected,
and with ${EXIT_NOTHING_TO_PROVE} where the log is empty.`,
    )
    .option('--min-leaves <number>', LEAST_LEAVES, wholeNumber)
    .option('--transparency <place>', PUBLISHED)
    .option('--public-keys <file>', 'count only signatures of these keys, a verifier key per line')
    .option(
      '--kept <file>',
      'go on from what an earlier run verified, and keep it in this file, out of reach of the installation',
    )
    .option('--kept-sha256 <digest>', 'refuse the file unless it is the one that the last run named')
    .option('--whole', 'verify everything, whatever was kept')
    .option('--threads <count>', THREADS, threadCount)
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
    .option('--transparency <place>', PUBLISHED)
    .option('--public-keys <file>', 'count only signatures of these keys, a verifier key per line')
    .option('--threads <count>', THREADS, threadCount)
    .option('--json', 'answer in JSON')
    .action((folder: string, options: VerifyOptions) => prove(context, { ...options, archive: folder }))
}

async function prove(context: CliContext, options: VerifyOptions): Promise<void> {
  // An invalid key is reported before the log is read.
  witnessPolicyOf(options)
  requireWhole(options)
  const result = await proving(context, options, () => verify(context, options))
  const shortfall =
    tooFew(result.reports, options) ??
    tooFewLeaves(result, options) ??
    tooFewWitnesses(result.leaves, options)
  const isProven = result.problemCount === 0 && !isEmpty(result) && shortfall === null
  const failure = result.problemCount === 0 && shortfall === null ? EXIT_NOTHING_TO_PROVE : EXIT_FAILED
  const exitCode = isProven ? 0 : failure
  answer(context, options, { ...jsonOf(result, isProven), exit_code: exitCode }, () =>
    [textOf(result), ...(shortfall === null ? [] : [shortfall]), `Exit code ${exitCode}.`].join('\n'),
  )
  if (!isProven) process.exitCode = exitCode
}

/** A run that goes on from an earlier one counts only the reports that came since. */
function requireWhole({ kept, keptSha256, whole, minReports }: VerifyOptions): void {
  if (kept === undefined && keptSha256 !== undefined)
    throw new CommandError('--kept-sha256 is about the file of --kept, which is not given.', EXIT_USAGE)
  if (kept !== undefined && whole !== true && minReports !== undefined)
    throw new CommandError('--min-reports counts all reports: give --whole, or --min-leaves.', EXIT_USAGE)
}

/** An archive has the records of the leaves that its last manifest names. */
function tooFewLeaves({ leaves, archive }: Verified, { minLeaves = 0 }: VerifyOptions): string | null {
  const has = archive === null ? leavesCompared(leaves) : (archive.tree?.size ?? 0)
  if (has >= minLeaves) return null
  return `${archive === null ? 'The log was compared with' : 'The archive has the records of'} ${has.toLocaleString('en-US')} leaves, and at least ${minLeaves.toLocaleString('en-US')} are expected.`
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
  parts: VerifyParts,
): Promise<Verified> {
  const { publicKeys } = parts
  const { log, config, checksMacs } = parts.connections
  const identity = await requireLog(log, options)
  const { kept: file, keptSha256: sha256, whole = false } = options
  const keeper =
    file === undefined
      ? null
      : openKept(context, { file, sha256, whole }, { log: identity, publicKeys, checksMacs })
  const keptBefore = keeper?.since ?? null
  const ranges = await rangesOf(log, [...topicSpecs, ...deadLetters])
  const since = keptBefore === null ? undefined : sinceOf(keptBefore)
  const lost = keptBefore === null ? [] : lostSince(keptBefore, ranges)
  const records = ranges.reduce(
    (sum, range) => sum + range.to - Math.max(range.from, since?.get(placeOf(range)) ?? 0),
    0,
  )
  const { database } = parts.connections
  // Behind a key that an earlier run verified no report is from before the first one, whatever rows say that this run does not compare.
  const beforeKeys = hasReadKey(since)
    ? new Map<string, number>()
    : await offsetsBeforeKeys(database, identity, keptBefore?.head.size)
  const threads = startAuditThreads(
    context,
    {
      source: { kind: 'connections', config, isAuditor: publicKeys !== null },
      task: { kind: 'verify', publicKeys: publicKeys?.map(verifierKey) ?? null, beforeKeys },
      own: parts.connections,
    },
    { records, asked: options.threads },
  )
  try {
    return await verifyWith(context, options, {
      ...{ ...parts, identity, keeper, since, beforeKeys, lost, threads },
    })
  } finally {
    await threads.close()
  }
}

const hasReadKey = (since: ReadonlyMap<string, number> = new Map()): boolean =>
  [...since].some(([place, next]) => next > 0 && place.startsWith(`${topicOf('SigningKeyPublished')}/`))

interface WorkParts extends VerifyParts {
  readonly identity: string
  /** Null if nothing is kept between runs. */
  readonly keeper: Keeper | null
  readonly since: ReadonlyMap<string, number> | undefined
  /** The records that have a leaf before that of the first key. */
  readonly beforeKeys: ReadonlyMap<string, number>
  /** Ends of the log that are before what an earlier run verified. */
  readonly lost: readonly Problem[]
  readonly threads: AuditThreads
}

/** Everything is compared at once, so that no processor waits while the database or one thread works. */
async function verifyWith(context: CliContext, options: VerifyOptions, parts: WorkParts): Promise<Verified> {
  const { publicKeys, keeper, lost, threads, identity, comparesRows = true } = parts
  const { log, codec, database, config, checksMacs } = parts.connections
  const evidence = comparedWith(context, config, publicKeys)
  const { leaves: accepted, acceptances } =
    evidence === null ? NOTHING_ACCEPTED : await readAcceptedLosses({ log, codec, database, ...evidence })
  const cosigning = await readCosigning(database, identity)
  const comparesAll = comparesRows && (keeper?.isWhole ?? true)
  // Before the parts begin: with a home that cannot be read none of them is left behind.
  const keptHistories = keptHistoriesOf(context)
  const [views, latest, compared, verified, tables, histories, erasures] = await together([
    comparesAll ? compareReadModels(database, (name) => threads.run('readModel', name)) : [],
    comparesAll ? threads.run('latestReports', null) : [],
    evidence === null
      ? null
      : compareWithLeaves(context, options, { ...parts, accepted, acceptances, evidence }),
    verifyRecords(context, options, parts),
    comparesRows ? compareTables({ log, codec, database, acceptances }) : [],
    compareHistories(database, keptHistories),
    readErasures({ log, codec }),
  ])
  const uncosigned = cosigning === null ? null : uncosignedOf(cosigning)
  const others = [...views, ...lost, ...tables, ...latest, ...histories.problems]
  const result = {
    ...{ ...verified, erasures, macsChecked: checksMacs, archive: null, kept: null },
    warnings: [uncosigned, histories.warning].filter((sentence) => sentence !== null),
    problems: [...verified.problems, ...others].slice(0, MAX_PROBLEMS),
    problemCount: verified.problemCount + others.length,
  }
  const keptLeaves = keeper?.named[0]?.size ?? keeper?.head?.tree.size ?? 0
  const ended = withTree(result, compared?.leaves ?? null, keptLeaves)
  return keeper === null ? ended : { ...ended, kept: keptRunOf(keeper, ended, compared?.again ?? null) }
}

async function verifyRecords(context: CliContext, options: VerifyOptions, parts: WorkParts) {
  const { publicKeys, beforeKeys, keeper, since, threads } = parts
  const { log, codec } = parts.connections
  return await verifyLog({
    ...{ log, codec, maxProblems: MAX_PROBLEMS, publicKeys, beforeKeys },
    topics: [...topicSpecs, ...deadLetters],
    ...readingOptions(context, options),
    ...(since === undefined ? {} : { since }),
    ...verifierOf(threads),
    ...(keeper === null ? {} : { done: keeper.done, onDone: keeper.onDone }),
  })
}

/** Every record with its leaf; of what an earlier run compared, a part again. */
async function compareWithLeaves(
  context: CliContext,
  options: VerifyOptions,
  parts: WorkParts & AcceptedParts,
): Promise<{ readonly leaves: ComparedLeaves; readonly again: ComparedAgain | null }> {
  const { evidence, identity, keeper, threads, graceMs = FILES_GRACE_MS, accepted, acceptances } = parts
  const { log, codec, database } = parts.connections
  const [store, ...copies] =
    options.transparency === undefined
      ? evidence.stores.map((each) => storeOfLog(each, identity))
      : [await publishedAt(context, options.transparency)]
  const asked = {
    ...{
      log,
      codec,
      database,
      topics: topicSpecs,
      verifier: evidence.verifier,
      endsEarlier: false,
      checksTimes: true,
    },
    ...{ publishGraceMs: graceMs, accepted, acceptances, store: store!, copies },
    witnesses: witnessPolicyOf(options),
    compareRun: (run: LeafRun) => threads.run('run', run),
  }
  if (keeper === null) return { leaves: await compareLeaves(asked), again: null }
  const leaves = await compareLeaves({
    ...{ ...asked, since: keeper.head, onHead: keeper.onHead, heads: keeper.named },
  })
  return await compareAgain(leaves, keeper, asked)
}

interface AcceptedParts extends Pick<AcceptedLosses, 'acceptances'> {
  readonly accepted: AcceptedLosses['leaves']
  readonly evidence: ComparedWith
}
