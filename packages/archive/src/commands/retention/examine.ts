/** Reads what a plan is made of: the months of the read model, and an archive that is verified up to a signed tree head of this installation. */
import { ArchiveError } from '../../index.js'
import { topicSpecs } from '@cupel/contracts'
import { placesOf } from '@cupel/event-log'
import {
  compareTransparency,
  NO_WITNESSES,
  readAcceptedLosses,
  storeOfLog,
} from '@cupel/evidence/transparency'
import {
  archivePlace,
  comparedWith,
  openArchive,
  refusedArchive,
  type Connections,
} from '@cupel/command-line/installation'
import { type CliContext, CommandError, EXIT_USAGE, readingNotes } from '@cupel/command-line'
import { compareArchive, readMonths } from './compare-archive.js'
import { planMonths, type Month, type PlannedMonth } from './plan.js'

export interface Plan {
  readonly place: string
  /** The first month that is not looked at. */
  readonly before: Month
  readonly months: readonly PlannedMonth[]
  /** Sentences: why no month may leave, whatever the table says. */
  readonly refusals: readonly string[]
}

export interface Examined extends Plan {
  readonly archive: Archive
}

type Archive = Awaited<ReturnType<typeof openArchive>>

export interface Asked {
  readonly folder: string
  readonly before: Month
  readonly json?: boolean | undefined
}

export async function examine(
  context: CliContext,
  connections: Connections,
  { folder, before, json }: Asked,
): Promise<Examined> {
  const { database, log } = connections
  const place = archivePlace(context, folder)
  const archive = await openArchive(context, place, { publicKeys: null, gathersFaults: true })
  const identity = await log.identity()
  if (archive.contents.log !== identity)
    throw new CommandError(
      `${place} is an archive of the log ${archive.contents.log}, and this is ${identity}.`,
      EXIT_USAGE,
    )
  const stored = await readMonths(database, before)
  if (stored.length === 0) return { ...{ place, before, archive }, months: [], refusals: [] }
  const note = json === true ? () => undefined : readingNotes(context.note, () => performance.now())
  const leaves = archive.contents.tree?.size ?? 0
  const { months, differing } = await compareArchive({ ...archive, database, leaves }, note).catch(
    (error: unknown) =>
      error instanceof ArchiveError ? refusedArchive(error) : Promise.reject(error as Error),
  )
  const ofTree = await compareWithTree(context, connections, archive)
  const refusals = [
    // Read last: a damaged segment is noticed when its records are.
    ...archive.faults().map(({ file, detail }) => `${place}: ${file}: ${detail}`),
    ...differing.map((id) => `The report ${id} is another one in the archive.`),
    ...ofTree.map((sentence) => `${place}: ${sentence}`),
  ]
  const nothing = { archived: 0, beyondHead: 0, recordBytes: 0 }
  const facts = stored.map((month) => ({ ...month, ...(months.get(month.month) ?? nothing) }))
  return { ...{ place, before, archive, refusals }, months: planMonths(facts, refusals) }
}

/** Sentences that are named; one is enough to refuse. */
const MAX_FINDINGS = 10
/** Longer than a projector takes to write the files of its signatures. */
const FILES_GRACE_MS = 10_000

/** The leaves of this installation must make the tree head that the archive names, and the archive must have the record of each. */
async function compareWithTree(
  context: CliContext,
  { database, log, codec, config }: Connections,
  archive: Archive,
): Promise<readonly string[]> {
  const { tree, trees, topics } = archive.contents
  if (tree === null)
    return [
      'It names no signed tree head, so that nothing shows that it is whole: run `cupel archive create`.',
    ]
  const evidence = comparedWith(context, config, null)
  if (evidence === null) return ['Signing keys are missing, so no tree head can be verified.']
  const { leaves: accepted } = await readAcceptedLosses({ log, codec, database, ...evidence })
  const [store, ...copies] = evidence.stores.map((each) => storeOfLog(each, archive.contents.log!))
  const compared = await compareTransparency({
    ...{ log: archive.log, codec: archive.codec, database, verifier: evidence.verifier, accepted },
    places: await placesOf(
      archive.log,
      topicSpecs.filter(({ name }) => topics.has(name)),
    ),
    ...{ store: store!, copies, heads: trees, witnesses: NO_WITNESSES },
    ...{ endsEarlier: true, checksTimes: true, publishGraceMs: FILES_GRACE_MS, maxProblems: MAX_FINDINGS },
    until: tree.size,
  })
  if (compared === null) return ['This installation has no transparency log to compare it with.']
  const lost = accepted.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, tree.size) - from), 0)
  const lacking = tree.size - lost - compared.records
  return [
    ...compared.faults.map(({ detail }) => detail),
    ...compared.problems.map(
      ({ kind, topic, partition, offset }) => `${topic}/${partition} at offset ${offset}: ${kind}.`,
    ),
    ...(lacking > 0 && compared.problemCount === 0
      ? [`It lacks the records of ${lacking.toLocaleString('en-US')} leaves of the tree head that it names.`]
      : []),
  ].slice(0, MAX_FINDINGS)
}
