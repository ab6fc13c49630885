/** `cupel archive verify`: an archive is compared with its own manifests, and its records are what is asked of the log. */
import { readErasures, verifyLog } from '../../proofs/index.js'
import { topicSpecs } from '@cupel/contracts'
import { verifierKey, type PublicKey } from '@cupel/signing'
import { readAcceptedLosses } from '../../transparency/index.js'
import type { CliContext } from '@cupel/command-line'
import {
  openArchive,
  publishedAt,
  readArchive,
  type ReadArchive,
  treeText,
} from '@cupel/command-line/installation'
import { startAuditThreads, type AuditThreads } from './audit-threads.js'
import { requireLog } from './expected-log.js'
import { compareLeaves, leafProblems, type ComparedLeaves } from './compared-leaves.js'
import type { Verified } from './verified.js'
import { MAX_PROBLEMS, readingOptions, verifierOf, type VerifyOptions } from './verify-options.js'
import { witnessPolicyOf } from '../verify/witnesses.js'

type PublicKeys = readonly PublicKey[] | null
type OpenedArchive = Awaited<ReturnType<typeof openArchive>>

/** An archive is compared with its own manifests; of the transparency log, later leaves are of records that it cannot have. */
export async function verifyArchived(
  context: CliContext,
  options: VerifyOptions,
  { publicKeys, folder }: { readonly publicKeys: PublicKeys; readonly folder: string },
): Promise<Verified> {
  const opened = await openArchive(context, folder, { publicKeys, gathersFaults: true })
  await requireLog(opened.log, options)
  const { archive, publicKeys: file, threads: asked } = options
  const records = [...opened.contents.segments.values()].flat().reduce((sum, one) => sum + one.records, 0)
  const threads = startAuditThreads(
    context,
    {
      source: { kind: 'archive', archive: archive!, publicKeys: file, gathersFaults: true },
      task: { kind: 'verify', publicKeys: publicKeys?.map(verifierKey) ?? null, beforeKeys: new Map() },
      own: { ...opened, database: null },
    },
    { asked, records },
  )
  try {
    return await verifyOpened(context, options, { publicKeys, opened, threads })
  } finally {
    await threads.close()
  }
}

interface Opened {
  readonly publicKeys: PublicKeys
  readonly opened: OpenedArchive
  readonly threads: AuditThreads
}

async function verifyOpened(
  context: CliContext,
  options: VerifyOptions,
  { publicKeys, opened, threads }: Opened,
): Promise<Verified> {
  const { log, codec, contents, checksMacs, verifier } = opened
  const damaged = new Map<string, ReadArchive['faults'][number]>()
  const onFaults = (faults: ReadArchive['faults']): void => {
    for (const fault of faults) if (fault.records !== undefined) damaged.set(fault.file, fault)
  }
  const verified = await verifyLog({
    ...{ log, codec, maxProblems: MAX_PROBLEMS, publicKeys },
    topics: [...contents.topics.values()],
    ...readingOptions(context, options),
    ...verifierOf(threads, onFaults),
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
          store: await publishedAt(context, options.transparency),
          heads: contents.trees,
          compareRun: (run) => threads.run('run', run),
        })
  const erasures = await readErasures({ log, codec })
  // Read last: a damaged segment is noticed when its records are.
  // A file that several threads found damaged counts once.
  onFaults(opened.faults())
  const whole = opened.faults().filter(({ records }) => records === undefined)
  const archive = readArchive({ ...opened, faults: () => [...whole, ...damaged.values()] })
  const problemCount = verified.problemCount + archive.faults.length + leafProblems(leaves)
  const warnings = shorterArchive(archive, leaves, options)
  return {
    ...verified,
    erasures,
    macsChecked: checksMacs,
    leaves,
    archive,
    kept: null,
    problemCount,
    warnings,
  }
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
