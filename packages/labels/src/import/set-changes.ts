/** Compares a file with one set, bucket by bucket, by the pure rules of the domain. */
import {
  authorityOriginOf,
  diffSet,
  historicalLabels,
  isOlderThanPublished,
  isVersionOf,
  labelIdentity,
  laterWholeSet,
  setDate,
  type LabelSetName,
  type SetInForce,
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
} from '../read-model/index.js'
import { SPOOL_BUCKETS, type LabelSpool, type SpoolFactory } from './label-spool.js'
import { ImportRefusedError } from './import-request.js'
import { setKey } from './set-key.js'
import type { SourceLabels } from './read-labels.js'
import { versionsAmong } from './list-versions.js'

/** A set before an import, and the labels of the file. */
export interface SetComparison {
  readonly set: LabelSetName
  /** The origin whose own list the set is; empty for every other set. */
  readonly authorityOrigin: string
  /** After the import the set is the authority's complete list. */
  readonly whole: boolean
  readonly stated: LabelSpool<StatedLabel>
  /** Current labels; if the file only adds history, all known labels of the set and of the later list. */
  readonly known: LabelSpool<Label>
  readonly liveBefore: number
  /** The current version; null if the set is new, withdrawn or replaced. */
  readonly inForce: PublishedSet | null
  /** The newest publication of any set when the changes were computed. */
  readonly basedOnSeq: number
  /** The last published version, even if it only added history. Label ids contain it, so that a fact that is listed again is new. */
  readonly base: string
  /** Date of the set after the import. */
  readonly asOf: string | null
  /** The list in force that is later than the file, which therefore only adds history; null if there is none. */
  readonly later: PublishedSet | null
  readonly historical: boolean
  /** Nothing that the set already states ends. */
  readonly append: boolean
  /** Rows of the file could not be read: nothing ends, restatements of the list neither. */
  readonly endsNothing: boolean
  /** The list as the document names it; empty where it names none. */
  readonly list: string
  /** The sets of the authority that are versions of the same list, as source/dataset. */
  readonly versionOf: readonly string[]
  /** Sets that the import withdraws. */
  readonly replaced: readonly PublishedSet[]
  /** Other sets of the source or the authority that stay in force. */
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
  /** Retired labels that are sanctions. */
  readonly retiredSanctions: number
  readonly repeated: number
  /** Labels of the set after the import. */
  readonly total: number
}

export interface ComparedFile {
  readonly labels: SourceLabels
  readonly dataset: string
  readonly append: boolean
  /** Rows of the file could not be read, so it cannot show who is no longer listed. */
  readonly endsNothing: boolean
  /** The list as the document names it; null where it names none. */
  readonly list: string | null
  /** The file is the complete list of the source's authority. */
  readonly whole: boolean
  readonly formatDate: string | null
  readonly operatorDate: string | null
  readonly importedAt: string
  /** Sets that the import withdraws; they must be in force. */
  readonly replaced: readonly PublishedSet[]
}

/** Reads the current labels of the set. The label view must be at the end of the log. */
export async function compareSet(
  database: Database,
  file: ComparedFile,
  spools: SpoolFactory,
): Promise<SetComparison> {
  const { labels, dataset, append, importedAt, replaced } = file
  const set = { source: labels.source, dataset }
  const authorityOrigin = authorityOriginOf(set.source) ?? ''
  // Read first: a publication that appears in between then shows as a conflict.
  const basedOnSeq = await newestLabelSetSeq(database)
  const [newest] = await listPublications(database, set)
  const inForce = (await setsWithLabels(database)).find((other) => isSame(other, set)) ?? null
  const others = (await setsWithLabels(database)).filter(
    (other) => !isSame(other, set) && !replaced.some((one) => isSame(one, other)),
  )
  const stated = setDate(file.formatDate, file.operatorDate, [{ observedAt: labels.newestObservedAt }])
  // The day of a list may have begun where it is published, and not here.
  const fileDate = stated !== null && stated > importedAt ? importedAt : stated
  // A withdrawn whole list is as absent as one that never came, so its kind stays known.
  const keepsKind = inForce !== null && (append || labels.labels.size() === 0)
  const isWhole = keepsKind ? inForce.whole : file.whole
  const list = append ? (inForce?.list ?? '') : (file.list ?? '')
  const versionOf =
    append && inForce !== null
      ? others.filter((other) => isVersionOf(other, inForce)).map(setKey)
      : await versionsAmong(database, [...others, ...(inForce === null ? [] : [inForce])], {
          ...{ authorityOrigin, whole: isWhole, list, asOf: fileDate, stated: labels.labels },
        })
  const isOlder = inForce !== null && isOlderThanPublished(fileDate, inForce.asOf)
  if (isWhole && inForce?.whole === true && !append && !versionOf.includes(setKey(inForce)))
    requireSameList(inForce, list, isOlder)
  const candidate = candidateOf(
    { set, authorityOrigin, whole: isWhole, asOf: fileDate, versionOf, endsNothing: file.endsNothing },
    labels.labels.size(),
  )
  const later = isOlder ? inForce : (laterWholeSet(others, candidate) ?? null)
  const historical = later !== null
  const known = spools.create<Label>()
  await fill(known, set, listSetLabels(database, { ...set, include: historical ? 'all' : 'listed' }))
  const liveBefore = historical ? (inForce?.total ?? 0) : known.size()
  if (historical && later !== inForce)
    await fill(known, set, listSetLabels(database, { ...later, include: 'all' }))
  return {
    ...{
      set,
      authorityOrigin,
      stated: labels.labels,
      known,
      liveBefore,
      inForce,
      basedOnSeq,
      later,
      historical,
    },
    ...{ append: append || file.endsNothing, endsNothing: file.endsNothing, replaced, list },
    versionOf: versionOf.filter((name) => name !== setKey(set)),
    whole: isWhole,
    base: newest?.importId ?? '',
    // A few current rows do not make last year's list a current one.
    asOf: append && !historical && authorityOrigin !== '' && inForce !== null ? inForce.asOf : fileDate,
    siblings: others.filter(
      (other) =>
        other.source === set.source || (authorityOrigin !== '' && other.authorityOrigin === authorityOrigin),
    ),
  }
}

/** The set as it will be in force: published last, with all of its labels. */
export const candidateOf = (
  {
    set,
    authorityOrigin,
    whole,
    asOf,
    versionOf,
    endsNothing,
  }: Pick<SetComparison, 'set' | 'authorityOrigin' | 'whole' | 'asOf' | 'versionOf' | 'endsNothing'>,
  total: number,
): SetInForce => ({
  ...{ ...set, authorityOrigin, whole, asOf, versionOf, total, visible: total },
  labelSetSeq: Number.MAX_SAFE_INTEGER,
  rows: { read: total, refused: 0, skipped: 0, unreadable: endsNothing ? 1 : 0, accepted: 0 },
})

/** Two lists under one name: the older would only add history, and its parties would not be designated; the newer would end the other's. */
function requireSameList(inForce: PublishedSet, list: string, isOlder: boolean): void {
  const areNamed = inForce.list !== '' && list !== ''
  if (!isOlder && !areNamed) return
  const documents = areNamed ? ` (${inForce.list}, and not ${list})` : ''
  throw new ImportRefusedError(
    'other-list',
    `${setKey(inForce)} holds another list of the authority${documents}: import this one under a --set of its own`,
  )
}

const isSame = (one: LabelSetName, other: LabelSetName): boolean =>
  one.source === other.source && one.dataset === other.dataset

/** The sets in force. A withdrawn set is no list. */
async function setsWithLabels(database: Database): Promise<readonly PublishedSet[]> {
  return (await listSets(database)).filter(({ kind, total }) => kind === 'published' && total > 0)
}

async function fill(
  spool: LabelSpool<Label>,
  set: LabelSetName,
  pages: AsyncIterable<readonly Label[]>,
): Promise<void> {
  for await (const page of pages) {
    for (const label of page) spool.add(labelIdentity(set, label), label)
    await spool.settle()
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

/** An older list does not change the current state: facts that only it contains ended at the date of the later list. */
function historicalChanges(
  { set, later }: SetComparison,
  known: readonly Label[],
  stated: readonly StatedLabel[],
): BucketChanges {
  const identities = new Set(known.map((label) => labelIdentity(set, label)))
  const distinct = new Set(stated.map((label) => labelIdentity(set, label))).size
  const asserted = historicalLabels(set, identities, stated, later!.asOf!)
  return {
    asserted,
    revised: [],
    retired: [],
    unchanged: distinct - asserted.length,
    repeated: stated.length - distinct,
  }
}

export async function countChanges(comparison: SetComparison): Promise<ChangeCounts> {
  let [added, changed, unchanged, retired, retiredSanctions, repeated] = [0, 0, 0, 0, 0, 0]
  for await (const bucket of changesOf(comparison)) {
    added += bucket.asserted.length
    changed += bucket.revised.length
    unchanged += bucket.unchanged
    retired += bucket.retired.length
    retiredSanctions += bucket.retired.filter(({ category }) => category === 'sanctions').length
    repeated += bucket.repeated
  }
  const { historical, append, inForce } = comparison
  // Not counted from the visible labels: labels that the view lost must show as a difference.
  const before = inForce?.total ?? 0
  const total = historical ? before : append ? before + added : unchanged + changed + added
  return { added, changed, unchanged, retired, retiredSanctions, repeated, total }
}
