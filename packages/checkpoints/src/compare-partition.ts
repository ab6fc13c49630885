/** Compares the records of one partition with its checkpoints, in the order of the offsets. */
import { type EventLog, LogStoppedError, type Place } from '@cupel/event-log'
import { appendLeaf, EMPTY_TREE, rootOf, SUBTREE_LEAVES, treeRoot, type Tree } from '@cupel/signing'
import { leafPages } from './record-leaf.js'
import type { PartitionState } from './state.js'
import type { Extension } from './statement.js'

export interface NumberedExtension extends Extension {
  readonly number: number
}

/** Records `from` ≤ offset < `to` that differ from the signed ones. */
export interface Difference {
  /** `changed`: changed, inserted, removed or in another order; `missing`: the log ends before them, or cannot be read there. */
  readonly kind: 'changed' | 'missing'
  readonly from: number
  readonly to: number
  /** The checkpoint that shows it. */
  readonly number: number
}

export interface PartitionComparison {
  readonly place: Place
  readonly differences: readonly Difference[]
  /** Whether records behind a difference are the signed ones. */
  readonly agreesBehind: boolean
  /** Everything agrees from the first record up to this offset. */
  readonly agreesTo: number
  /** The state of the tree; null if it needs records that the log no longer has, or if something differs. */
  readonly state: PartitionState | null
}

export interface PartitionComparer {
  /** Reads the records of the extensions, which follow each other. Throws the errors of the log, except for records that are gone. */
  compare(extensions: readonly NumberedExtension[]): Promise<void>
  result(): PartitionComparison
}

/** First offset of the current log, and the offset behind its last record. */
export interface Bounds {
  readonly start: number
  readonly end: number
}

export function comparePartition(
  log: EventLog,
  place: Place,
  first: number,
  bounds: Bounds,
): PartitionComparer {
  const findings = createFindings(first)
  /** The full subtrees as they were signed: a changed record does not hide the records after it. */
  let subtrees: Tree = EMPTY_TREE
  /** Leaves behind the subtrees; null for records that the log no longer has. */
  let leaves: (Buffer | null)[] = []
  let lastLeaf: Buffer | null = null
  let [next, readableTo] = [first, bounds.end]

  async function compare(extensions: readonly NumberedExtension[]): Promise<void> {
    const reader = leafReader(log, place, {
      from: Math.max(next, bounds.start),
      to: Math.min(readableTo, extensions.at(-1)!.to),
      onGone: (offset) => (readableTo = offset),
    })
    try {
      for (const extension of extensions)
        if (extension.to > readableTo || !(await agreesOrDiffers(extension, reader)))
          findings.missing(readableTo, extension)
    } finally {
      await reader.close()
    }
  }

  /** False if a record of the extension is gone. */
  async function agreesOrDiffers(extension: NumberedExtension, reader: LeafReader): Promise<boolean> {
    const { to, number, root } = extension
    const recorded = [...extension.subtrees]
    while (next < to) {
      const subtreeEnd = first + (subtrees.size + 1) * SUBTREE_LEAVES
      const upTo = Math.min(subtreeEnd, to)
      const taken = await reader.take(next, upTo)
      if (upTo > readableTo) return false
      leaves.push(...taken)
      next = upTo
      lastLeaf = leaves.at(-1) ?? null
      if (upTo === subtreeEnd) endSubtree(recorded.shift() ?? '', subtreeEnd, number)
    }
    if (isKnown(leaves))
      findings.compared(rootOf(joined(subtrees, leaves)).equals(Buffer.from(root, 'base64')), to, number)
    return true
  }

  function endSubtree(recorded: string, end: number, number: number): void {
    const signed = Buffer.from(recorded, 'base64')
    if (isKnown(leaves)) findings.compared(treeRoot(leaves).equals(signed), end, number)
    findings.nextSubtree(end)
    subtrees = appendLeaf(subtrees, signed)
    leaves = []
  }

  return {
    compare,
    result() {
      const found = findings.result()
      const last = lastLeaf
      const tree = found.differences.length === 0 && isKnown(leaves) ? joined(subtrees, leaves) : null
      const state = tree === null || last === null ? null : { ...place, first, tree, lastLeaf: last }
      return { place, ...found, state }
    },
  }
}

/** The tree of full subtrees and the leaves behind them. */
function joined(subtrees: Tree, leaves: readonly Buffer[]): Tree {
  const rest = leaves.reduce<Tree>((tree, leaf) => appendLeaf(tree, leaf), EMPTY_TREE)
  return { size: subtrees.size * SUBTREE_LEAVES + rest.size, peaks: [...subtrees.peaks, ...rest.peaks] }
}

/** Collects agreements and differences, as ranges of offsets. */
function createFindings(first: number) {
  const differences: Difference[] = []
  let [agreesTo, verified, agreesBehind, hasDiffered] = [first, first, false, false]
  return {
    /** The records up to `to`, from the last place that agreed. Once a subtree differs, later records in it cannot be told apart. */
    compared(agrees: boolean, to: number, number: number): void {
      if (!agrees && !hasDiffered) differences.push({ kind: 'changed', from: verified, to, number })
      hasDiffered ||= !agrees
      if (!agrees) return
      verified = to
      if (differences.length === 0) agreesTo = to
      else agreesBehind = true
    },
    nextSubtree(begin: number): void {
      hasDiffered = false
      verified = begin
    },
    missing(readableTo: number, { to, number }: NumberedExtension): void {
      const last = differences.at(-1)
      if (last?.kind === 'missing') differences.pop()
      const from = last?.kind === 'missing' ? last.from : Math.max(verified, readableTo)
      differences.push({ kind: 'missing', from, to, number })
    },
    result: () => ({ differences, agreesTo, agreesBehind }),
  }
}

const isKnown = (leaves: readonly (Buffer | null)[]): leaves is readonly Buffer[] => !leaves.includes(null)

interface LeafReader {
  /** In the order of the offsets. Before the first readable offset the leaves are null. */
  take(from: number, to: number): Promise<(Buffer | null)[]>
  /** Ends the read of the log, which holds a connection. */
  close(): Promise<void>
}

/** Reads on demand. */
function leafReader(
  log: EventLog,
  place: Place,
  { from, to, onGone }: { from: number; to: number; onGone: (offset: number) => void },
): LeafReader {
  const pages = to > from ? leafPages(log, place, { from, to }) : null
  let ready: Buffer[] = []
  let at = from
  const take: LeafReader['take'] = async (start, end) => {
    const wanted: (Buffer | null)[] = Array.from(
      { length: Math.max(0, Math.min(from, end) - start) },
      () => null,
    )
    while (start + wanted.length < end) {
      const missing = end - start - wanted.length
      if (ready.length === 0 && !(await fill())) return wanted
      const taken = ready.slice(0, missing)
      ready = ready.slice(missing)
      at += taken.length
      wanted.push(...taken)
    }
    return wanted
  }

  return { take, close: async () => void (await pages?.return(undefined)) }

  async function fill(): Promise<boolean> {
    try {
      const page = await pages?.next()
      if (page === undefined || page.done === true) {
        onGone(at)
        return false
      }
      ready = page.value
      return true
    } catch (error) {
      if (!(error instanceof LogStoppedError)) throw error
      onGone(at)
      return false
    }
  }
}
