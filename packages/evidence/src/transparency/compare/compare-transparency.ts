/**
 * Compares a transparency log with itself and with the log of events: signatures, trees, rows and files must agree, and every record of
 * the installation must have its leaf, in its place. Nothing is changed, and no data that is read is trusted.
 */
import type { AuthenticLog, EventCodec, Place } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { rootOf, type Tree, type Verifier } from '@cupel/signing'
import { parseLeafEntry } from '../format/leaf.js'
import type { WitnessPolicy } from '../format/cosignature.js'
import { compareTiles } from './compare-files.js'
import {
  compareRecords,
  type ComparedRecords,
  type ReadLeaf,
  type RecordComparison,
} from './compare-records.js'
import type { CompareRun } from './record-check.js'
import { compareCopy } from './compare-copy.js'
import type { LeafRange } from '../accepted-losses.js'
import { compareRows } from './compare-rows.js'
import { requireCosigned, requireNamedRoot, type CosignedTree, type NamedTree } from './cosigned-trees.js'
import { createFindings, type Findings, type LeafProblem, type TreeFault } from './findings.js'
import { growTree, type GrownTree } from './grown-tree.js'
import type { KeptHead } from './kept-head.js'
import { signedTrees, type SignedTree, type SignedTrees } from './signed-trees.js'
import type { PublishedStore } from '../store/published-store.js'
import { leavesOfFiles, leavesOfRows, type LeafSource, type StoredLeaf } from './stored-leaves.js'

export interface TransparencyComparison extends ComparedRecords {
  /** Name of the transparency log of the compared checkpoint; null if no checkpoint counts. */
  readonly origin: string | null
  /** Number of leaves: the compared ones, and those of `since` before them. */
  readonly leaves: number
  /** Whether these are all. */
  readonly isEnd: boolean
  /** The head of all these leaves; null if a leaf is gone, or if rows and files are of different trees. */
  readonly reached: KeptHead | null
  /**
   * What a later comparison goes on from, so that every signed tree is behind it: one that witnesses cosigned may be shorter than the last. Null as above,
   * and if such a tree is before `since`.
   */
  readonly head: KeptHead | null
  /** Null if no witnesses were given, or too few of them cosigned. */
  readonly cosigned: CosignedTree | null
  readonly problemCount: number
  /** The first sentences about rows and files. */
  readonly faults: readonly TreeFault[]
  /** The first places at which log and leaves disagree. */
  readonly problems: readonly LeafProblem[]
}

export interface CompareTransparencyOptions {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Every partition whose records have leaves. */
  readonly places: readonly Place[]
  /** Null if only the published files are compared. */
  readonly database: Database | null
  /** The published files, with `checkpoint` and `tile`; null if only the rows are compared. */
  readonly store: PublishedStore | null
  /** Further stores with the same files: each must have every tile of the tree. */
  readonly copies: readonly PublishedStore[]
  readonly verifier: Verifier
  /** Witnesses, enough of which must have cosigned a checkpoint. */
  readonly witnesses: WitnessPolicy
  /** Leaves whose records operators accepted as lost. */
  readonly accepted: readonly LeafRange[]
  /** Trees that an archive or a kept state names, with the files that name them: the published tree must extend each. */
  readonly heads?: readonly { readonly size: number; readonly root: string; readonly file: string }[]
  /** Whether the log may end before the leaves do, as an archive does. */
  readonly endsEarlier: boolean
  /** Whether the times that the log gives are compared: a copy on another cluster may have others. */
  readonly checksTimes: boolean
  /** Whether a loss is looked for: files may then be ahead of the rows, as behind an older database that was restored. */
  readonly looksForLoss?: boolean
  readonly maxProblems: number
  /** How long files may be behind the rows of a running log, in milliseconds. */
  readonly publishGraceMs: number
  readonly maxLeaves?: number
  /** Compares what follows this head, which an earlier comparison reached, and not what is before it. */
  readonly since?: KeptHead | null
  /** Ends before this leaf: leaves that follow, and the signed roots, are left to a later comparison. */
  readonly until?: number
  /** Signed trees that earlier calls compared; this one adds its own. No other may be before `since`. */
  readonly comparedTrees?: Set<string>
  /** Compares one run of records, in a thread of its own perhaps. */
  readonly compareRun?: CompareRun
}

/** Number of leaves in memory at once: some ten megabytes. */
const MAX_LEAVES = 65_536

/** Null if there is no transparency log: neither rows nor files. */
export async function compareTransparency(
  options: CompareTransparencyOptions,
): Promise<TransparencyComparison | null> {
  const { since = null, until = Infinity } = options
  const findings = createFindings(options.maxProblems)
  const trees = await signedTrees(options, findings)
  if (trees === null) return null
  const sides = sidesOf(options, trees, findings)
  const from = since?.tree.size ?? 0
  const leaves = Math.max(sides.rows.size, sides.files.size)
  const to = Math.min(leaves, until)
  const isEnd = to === leaves
  const records = await compareRecords({
    ...options,
    ...{ from, leaves: to, findings },
    ...(since === null ? {} : { before: since.places }),
  })
  const heads = await compareBatches(sides, records, { ...options, from, to, findings })
  requireTrees(sides, { ...options, from, to, isEnd, findings })
  const cosigned = requireCosigned([...trees.notes.rows, ...trees.notes.files], options.witnesses, findings)
  await compareStores(trees, sides, { ...options, from, to, findings })
  const isBehind = options.looksForLoss === true && sides.files.size > sides.rows.size
  const counts = await records.end(isBehind || !isEnd ? null : (trees.rows?.stored ?? null))
  if (options.looksForLoss !== true)
    for (const index of counts.unplaced)
      findings.fault(`Leaf ${index} is of a record that the log does not have, or has otherwise.`, index)
  return {
    ...{
      origin: (trees.files ?? trees.rows?.signed)?.origin ?? null,
      leaves: to,
      isEnd,
      cosigned,
      ...counts,
    },
    ...heads,
    ...{ problemCount: findings.count() },
    ...{ faults: findings.faults(counts.timeBefore), problems: findings.problems(counts.timeBefore) },
  }
}

interface Sides {
  readonly rows: Side
  readonly files: Side
  /** Those that there are. */
  readonly present: readonly Side[]
}

function sidesOf(options: CompareTransparencyOptions, trees: SignedTrees, findings: Findings): Sides {
  const { database, store, since = null, until = Infinity } = options
  const rows = side(
    { size: trees.rows?.size ?? 0, since, until },
    { signed: trees.rows?.signed ?? null, notes: trees.notes.rows },
    (size) => leavesOfRows(database!, trees.rows!.stored.number, size),
  )
  const named = (options.heads ?? []).map(({ size, root, file }): NamedTree => {
    return { of: file, signed: { size, root: Buffer.from(root, 'base64') } }
  })
  const files = side(
    { size: trees.files?.size ?? 0, since, until },
    { signed: trees.files, notes: trees.notes.files, named },
    (size) => leavesOfFiles(store!, size),
  )
  for (const { of, signed } of named)
    if (signed.size > files.size)
      findings.fault(
        `${of} names a tree of ${signed.size} leaves, and ${store?.place} has ${files.size}: older files were put there.`,
        files.size,
      )
  const present = [...(trees.rows === null ? [] : [rows]), ...(trees.files === null ? [] : [files])]
  const kept = since?.tree.size ?? 0
  for (const each of present)
    if (each.size < kept)
      findings.fault(
        `A tree of ${kept} leaves was verified before, and now there is one of ${each.size}: an older one was put there, or what was kept is of another log.`,
        each.size,
      )
  return { rows, files, present }
}

interface Part {
  readonly from: number
  readonly to: number
  readonly findings: Findings
}

/** Compares the leaves with their records, in batches. */
async function compareBatches(
  { rows, files, present }: Sides,
  records: RecordComparison,
  { from, to, findings, since = null, maxLeaves = MAX_LEAVES }: Part & CompareTransparencyOptions,
): Promise<Pick<TransparencyComparison, 'reached' | 'head'>> {
  const sizes = present.flatMap(({ size, notes }) => [size, ...notes.map(({ signed }) => signed.size)])
  // A later comparison must find the signed trees behind the head that it goes on from.
  const keptAt = Math.min(to, ...sizes)
  const heads = new Map<number, KeptHead | null>([[from, since]])
  const areRead = [rows, files].map((each) => present.includes(each))
  for await (const batch of inBatches([rows, files], { from, to, keptAt, maxLeaves })) {
    await records.compare(readLeaves(batch.from, batch.read[0]!, batch.read[1]!, findings))
    const trees = batch.trees.filter((_, at) => areRead[at])
    if (batch.to === keptAt || batch.to === to)
      heads.set(batch.to, headOf(trees, batch.to, records.reached()))
  }
  return { reached: heads.get(to) ?? null, head: heads.get(keptAt) ?? null }
}

/** The leaves must make the root of each signed tree that they reach. */
function requireTrees(
  { rows, files }: Sides,
  {
    store,
    to,
    isEnd,
    findings,
    comparedTrees = new Set(),
  }: Part & CompareTransparencyOptions & { readonly isEnd: boolean },
): void {
  if (isEnd) {
    requireRoot(rows, 'The rows of the database', findings)
    requireRoot(files, `The leaves in ${store?.place}`, findings)
  }
  for (const { notes, named, signed, tree } of [rows, files])
    for (const note of [...notes, ...named])
      if (note.signed !== signed && (isEnd || note.signed.size <= to))
        requireNamedRoot(note, { tree, compared: comparedTrees, findings })
}

/** What is stored beside the leaves: rows of the tree, tiles, and further stores. */
async function compareStores(
  trees: SignedTrees,
  { rows, files }: Sides,
  { from, to, findings, ...options }: Part & CompareTransparencyOptions,
): Promise<void> {
  if (trees.rows !== null) await compareRows(options.database!, { ...trees.rows, tree: rows.tree, findings })
  const ofFiles = { from, to, size: files.size, hashOf: files.tree.hashOf, findings }
  if (trees.files !== null) await compareTiles(options.store!, ofFiles)
  const tree = files.size >= rows.size ? files.tree : rows.tree
  for (const copy of options.copies)
    await compareCopy(copy, { ...options, size: rows.size > 0 ? rows.size : files.size, to, tree, findings })
}

interface Batch {
  readonly from: number
  readonly to: number
  /** By side. */
  readonly read: readonly (readonly (StoredLeaf | null)[])[]
  readonly trees: readonly (Tree | null)[]
}

/** The leaves of both sides; the next ones are read while those before are compared. A batch ends at `keptAt`. */
async function* inBatches(
  sides: readonly Side[],
  {
    from,
    to,
    keptAt,
    maxLeaves,
  }: { readonly from: number; readonly to: number; readonly keptAt: number; readonly maxLeaves: number },
): AsyncGenerator<Batch> {
  const read = async (at: number): Promise<Batch> => {
    const end = Math.min(to, at + maxLeaves, at < keptAt ? keptAt : to)
    const leaves = [await sides[0]!.read(at, end), await sides[1]!.read(at, end)]
    return { from: at, to: end, read: leaves, trees: sides.map(({ tree }) => tree.whole()) }
  }
  let next = from < to ? read(from) : null
  while (next !== null) {
    const batch = await next
    next = batch.to < to ? read(batch.to) : null
    // Its failure is thrown when its turn comes.
    next?.catch(() => undefined)
    yield batch
  }
}

/** Null unless all trees are the same, and whole up to this size. */
function headOf(trees: readonly (Tree | null)[], size: number, places: KeptHead['places']): KeptHead | null {
  const [first] = trees
  if (first === undefined || first === null) return null
  const areSame = trees.every((tree) => tree?.size === size && rootOf(tree).equals(rootOf(first)))
  return areSame ? { tree: first, places } : null
}

/** The rows, or the files: their leaves, the tree made from these, and the signed trees. */
interface Side {
  readonly size: number
  readonly signed: SignedTree | null
  readonly notes: readonly NamedTree[]
  /** Trees that it must extend, which are named elsewhere. */
  readonly named: readonly NamedTree[]
  readonly tree: GrownTree
  /** Adds the leaves it reads to the tree. */
  read(from: number, to: number): Promise<readonly (StoredLeaf | null)[]>
}

function side(
  { size, since, until }: { readonly size: number; readonly since: KeptHead | null; readonly until: number },
  { signed, notes, named = [] }: Pick<Side, 'signed' | 'notes'> & Partial<Pick<Side, 'named'>>,
  open: (size: number) => LeafSource,
): Side {
  const source = size === 0 ? null : open(size)
  const sizes = [...notes, ...named].map((each) => each.signed.size)
  const tree = growTree(Math.min(size, until), sizes, since?.tree)
  return {
    ...{ size, signed, notes, named, tree },
    async read(from, to) {
      const leaves = source === null || from >= size ? [] : await source.read(from, Math.min(to, size))
      tree.add(leaves)
      return leaves
    },
  }
}

function requireRoot({ signed, tree }: Side, what: string, findings: Findings): void {
  // A leaf that is gone is reported by itself, and leaves no root.
  const root = signed === null ? null : tree.rootAt(signed.size)
  if (root !== null && !root.equals(signed!.root))
    findings.fault(`${what} do not make the root of their signed checkpoint: one of them was changed.`)
}

/** The leaves to compare with records: rows state their places; files have what the rows lack. */
function readLeaves(
  from: number,
  rows: readonly (StoredLeaf | null)[],
  files: readonly (StoredLeaf | null)[],
  findings: Findings,
): ReadLeaf[] {
  const read: ReadLeaf[] = []
  for (let at = 0; at < Math.max(rows.length, files.length); at += 1) {
    const [index, row, file] = [from + at, rows[at], files[at] ?? null]
    if (row === null) findings.fault(`The row of leaf ${index} is gone from the database.`, index)
    const stored = row ?? file
    if (stored === null) continue
    const leaf = parseLeafEntry(stored.entry)
    if (leaf === null) findings.fault(`Leaf ${index} is not what a leaf looks like.`, index)
    if (row && file && row.entry !== file.entry)
      findings.fault(`Leaf ${index} is another one in the database than in the published files.`, index)
    if (leaf !== null) read.push({ ...leaf, index, stored, record: stored.row?.record ?? null })
  }
  return read
}
