/**
 * Compares a transparency log with itself and with the log of events: signatures, trees, rows and files must agree, and every record of
 * the installation must have its leaf, in its place. Nothing is changed, and no data that is read is trusted.
 */
import type { AuthenticLog, EventCodec, Place } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { Verifier } from '@cupel/signing'
import { parseLeafEntry } from '../format/leaf.js'
import type { WitnessPolicy } from '../format/cosignature.js'
import { compareTiles } from './compare-files.js'
import { compareRecords, type ComparedRecords } from './compare-records.js'
import { compareCopy } from './compare-copy.js'
import type { ReadLeaf } from './record-check.js'
import type { LeafRange } from '../accepted-losses.js'
import { compareRows } from './compare-rows.js'
import { requireCosigned, requireNamedRoot, type CosignedTree, type NamedTree } from './cosigned-trees.js'
import { createFindings, type Findings, type LeafProblem, type TreeFault } from './findings.js'
import { growTree, type GrownTree } from './grown-tree.js'
import { signedTrees, type SignedTree } from './signed-trees.js'
import { leavesOfFiles, leavesOfRows, type LeafSource, type StoredLeaf } from './stored-leaves.js'

export interface TransparencyComparison extends ComparedRecords {
  /** Name of the transparency log of the compared checkpoint; null if no checkpoint counts. */
  readonly origin: string | null
  /** Number of compared leaves. */
  readonly leaves: number
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
  /** The published folder, with `checkpoint` and `tile`; null if only the rows are compared. */
  readonly folder: string | null
  /** Further folders with the same files: each must have every tile of the tree. */
  readonly copies: readonly string[]
  readonly verifier: Verifier
  /** Witnesses, enough of which must have cosigned a checkpoint. */
  readonly witnesses: WitnessPolicy
  /** Leaves whose records operators accepted as lost. */
  readonly accepted: readonly LeafRange[]
  /** Trees that an archive names, with the files that name them: the published tree must extend each. */
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
}

/** Number of leaves in memory at once: some ten megabytes. */
const MAX_LEAVES = 65_536

/** Null if there is no transparency log: neither rows nor files. */
export async function compareTransparency(
  options: CompareTransparencyOptions,
): Promise<TransparencyComparison | null> {
  const { database, folder, maxLeaves = MAX_LEAVES } = options
  const findings = createFindings(options.maxProblems)
  const trees = await signedTrees(options, findings)
  if (trees === null) return null
  const rows = side(
    trees.rows?.size ?? 0,
    { signed: trees.rows?.signed ?? null, notes: trees.notes.rows },
    (size) => leavesOfRows(database!, trees.rows!.stored.number, size),
  )
  const heads = (options.heads ?? []).map(({ size, root, file }): NamedTree => {
    return { of: file, signed: { size, root: Buffer.from(root, 'base64') } }
  })
  const files = side(
    trees.files?.size ?? 0,
    { signed: trees.files, notes: [...trees.notes.files, ...heads] },
    (size) => leavesOfFiles(folder!, size),
  )
  for (const { of, signed } of heads)
    if (signed.size > files.size)
      findings.fault(
        `${of} names a tree of ${signed.size} leaves, and ${folder} has ${files.size}: older files were put there.`,
        files.size,
      )
  const leaves = Math.max(rows.size, files.size)
  const records = await compareRecords({ ...options, leaves, findings })
  for (let from = 0; from < leaves; from += maxLeaves) {
    const to = Math.min(leaves, from + maxLeaves)
    await records.compare(readLeaves(from, await rows.read(from, to), await files.read(from, to), findings))
  }
  requireRoot(rows, 'The rows of the database', findings)
  requireRoot(files, `The leaves in ${folder}`, findings)
  const cosigned = requireCosigned([...trees.notes.rows, ...trees.notes.files], options.witnesses, findings)
  if (trees.rows !== null) await compareRows(database!, { ...trees.rows, tree: rows.tree, findings })
  if (trees.files !== null)
    await compareTiles(folder!, { size: files.size, hashOf: files.tree.hashOf, findings })
  const tree = files.size >= rows.size ? files.tree : rows.tree
  for (const copy of options.copies)
    await compareCopy(copy, { size: rows.size > 0 ? rows.size : files.size, tree, findings, ...options })
  const isBehind = options.looksForLoss === true && files.size > rows.size
  const counts = await records.end(isBehind ? null : (trees.rows?.stored ?? null))
  if (options.looksForLoss !== true)
    for (const index of counts.unplaced)
      findings.fault(`Leaf ${index} is of a record that the log does not have, or has otherwise.`, index)
  return {
    ...{ origin: (trees.files ?? trees.rows?.signed)?.origin ?? null, leaves, cosigned, ...counts },
    ...{ problemCount: findings.count() },
    ...{ faults: findings.faults(counts.timeBefore), problems: findings.problems(counts.timeBefore) },
  }
}

/** The rows, or the files: their leaves, the tree made from these, and the signed trees. */
interface Side {
  readonly size: number
  readonly signed: SignedTree | null
  readonly notes: readonly NamedTree[]
  readonly tree: GrownTree
  /** Adds the leaves it reads to the tree. */
  read(from: number, to: number): Promise<readonly (StoredLeaf | null)[]>
}

function side(
  size: number,
  { signed, notes }: Pick<Side, 'signed' | 'notes'>,
  open: (size: number) => LeafSource,
): Side {
  const source = size === 0 ? null : open(size)
  const tree = growTree(
    size,
    notes.map((each) => each.signed.size),
  )
  return {
    ...{ size, signed, notes, tree },
    async read(from, to) {
      const leaves = source === null || from >= size ? [] : await source.read(from, Math.min(to, size))
      tree.add(leaves)
      return leaves
    },
  }
}

function requireRoot({ signed, notes, tree }: Side, what: string, findings: Findings): void {
  // A leaf that is gone is reported by itself, and leaves no root.
  const root = signed === null ? null : tree.rootAt(signed.size)
  if (root !== null && !root.equals(signed!.root))
    findings.fault(`${what} do not make the root of their signed checkpoint: one of them was changed.`)
  for (const note of notes) if (note.signed !== signed) requireNamedRoot(note, tree, findings)
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
