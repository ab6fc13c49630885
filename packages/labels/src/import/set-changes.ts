/** Compares a file with one set, bucket by bucket, by the pure rules of the domain. */
import {
  diffSet,
  historicalLabels,
  isOlderThanPublished,
  labelIdentity,
  setDate,
  type LabelSetName,
  type StatedLabel,
} from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import {
  listPublications,
  listSetLabels,
  listSets,
  newestLabelSetSeq,
  type Label,
  type PublishedSet,
} from '@cupel/read-models'
import { SPOOL_BUCKETS, type LabelSpool, type SpoolFactory } from './label-spool.js'
import type { SourceLabels } from './read-labels.js'

/** A set before an import, and the labels of the file. */
export interface SetComparison {
  readonly set: LabelSetName
  readonly stated: LabelSpool<StatedLabel>
  /** Current labels; if the file is older than the published set, all labels that the set ever had. */
  readonly known: LabelSpool<Label>
  readonly liveBefore: number
  /** The current version; null if the set is new. */
  readonly inForce: PublishedSet | null
  /** The newest publication of any set when the changes were computed. */
  readonly basedOnSeq: number
  /** The version published last, even if it only added history. Label ids contain it, so that a fact that is listed again is new. */
  readonly base: string
  readonly asOf: string | null
  /** The date of the file if it lies in the future; `asOf` is then the time of the import. */
  readonly futureDate: string | null
  readonly historical: boolean
  readonly append: boolean
  /** Other current sets of the same source that have labels. */
  readonly siblings: readonly PublishedSet[]
}

export interface BucketChanges {
  readonly asserted: readonly StatedLabel[]
  readonly revised: readonly { readonly before: Label; readonly after: StatedLabel }[]
  readonly retired: readonly Label[]
  readonly unchanged: number
  readonly repeated: number
}

export interface ChangeCounts {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly retired: number
  readonly repeated: number
  /** Labels of the set after the import. */
  readonly total: number
}

/** Reads the current labels of the set. The label view must be at the end of the log. */
export async function compareSet(
  database: Database,
  {
    labels,
    dataset,
    append,
    formatDate,
    operatorDate,
    importedAt,
    spools,
  }: {
    labels: SourceLabels
    dataset: string
    append: boolean
    formatDate: string | null
    operatorDate: string | null
    importedAt: string
    spools: SpoolFactory
  },
): Promise<SetComparison> {
  const set = { source: labels.source, dataset }
  // Read before anything else: a publication that appears in between then shows as a conflict, never the other way round.
  const basedOnSeq = await newestLabelSetSeq(database)
  const publications = await listPublications(database, set)
  const inForce = publications.find((published) => !published.historical) ?? null
  const stated = setDate(formatDate, operatorDate, [{ observedAt: labels.newestObservedAt }])
  // A future date, such as a mistyped year, would make every later version of the set look old.
  const futureDate = stated !== null && stated > importedAt ? stated : null
  const asOf = futureDate === null ? stated : importedAt
  const historical = inForce !== null && isOlderThanPublished(asOf, inForce.asOf)
  const known = spools.create<Label>()
  for await (const page of listSetLabels(database, { ...set, include: historical ? 'all' : 'listed' })) {
    for (const label of page) known.add(labelIdentity(set, label), label)
    await known.settle()
  }
  return {
    set,
    stated: labels.labels,
    known,
    liveBefore: historical ? (inForce?.total ?? 0) : known.size(),
    inForce,
    basedOnSeq,
    base: publications[0]?.importId ?? '',
    asOf,
    futureDate,
    historical,
    append,
    siblings: (await listSets(database)).filter(
      (other) => other.source === set.source && other.dataset !== dataset && other.total > 0,
    ),
  }
}

/** The changes of every bucket, computed once if both sides are in memory. The comparison has no side effects. */
export async function* changesOf(comparison: SetComparison): AsyncGenerator<BucketChanges> {
  const remembered = computed.get(comparison)
  if (remembered !== undefined) return yield* remembered
  const isSmall = comparison.stated.isInMemory() && comparison.known.isInMemory()
  const all: BucketChanges[] = []
  for await (const changes of computeChanges(comparison)) {
    if (isSmall) all.push(changes)
    yield changes
  }
  if (isSmall) computed.set(comparison, all)
}

const computed = new WeakMap<SetComparison, readonly BucketChanges[]>()

async function* computeChanges(comparison: SetComparison): AsyncGenerator<BucketChanges> {
  for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1) {
    const stated = await comparison.stated.bucket(bucket)
    const known = await comparison.known.bucket(bucket)
    if (stated.length === 0 && known.length === 0) continue
    yield comparison.historical
      ? historicalChanges(comparison, known, stated)
      : currentChanges(comparison, known, stated)
  }
}

function currentChanges(
  { set, append }: SetComparison,
  known: readonly Label[],
  stated: readonly StatedLabel[],
): BucketChanges {
  const { asserted, revised, unchanged, retired, repeated } = diffSet(set, known, stated)
  return { asserted, revised, unchanged: unchanged.length, retired: append ? [] : retired, repeated }
}

/** An older list does not change the present: facts that only it contains ended at the date of the published list. */
function historicalChanges(
  { set, inForce }: SetComparison,
  known: readonly Label[],
  stated: readonly StatedLabel[],
): BucketChanges {
  const identities = new Set(known.map((label) => labelIdentity(set, label)))
  const distinct = new Set(stated.map((label) => labelIdentity(set, label))).size
  const asserted = historicalLabels(set, identities, stated, inForce!.asOf!)
  return {
    asserted,
    revised: [],
    retired: [],
    unchanged: distinct - asserted.length,
    repeated: stated.length - distinct,
  }
}

export async function countChanges(comparison: SetComparison): Promise<ChangeCounts> {
  let [added, changed, unchanged, retired, repeated] = [0, 0, 0, 0, 0]
  for await (const bucket of changesOf(comparison)) {
    added += bucket.asserted.length
    changed += bucket.revised.length
    unchanged += bucket.unchanged
    retired += bucket.retired.length
    repeated += bucket.repeated
  }
  const total = comparison.liveBefore + (comparison.historical ? 0 : added - retired)
  return { added, changed, unchanged, retired, repeated, total }
}
