/** Checkpoints that witnesses cosigned: each must match the tree of the leaves, and one must have enough cosignatures. */
import { UnsignedNoteError } from '@cupel/signing'
import type { Checkpoint } from '../format/checkpoint.js'
import {
  CosignatureError,
  requireWitnesses,
  type Cosignature,
  type WitnessPolicy,
} from '../format/cosignature.js'
import type { Findings } from './findings.js'
import type { GrownTree } from './grown-tree.js'

/** A signed tree beside the leaves of a side of the comparison. */
export interface NamedTree {
  /** `Database`, or the file. */
  readonly of: string
  readonly signed: Pick<Checkpoint, 'size' | 'root'>
}

/** A signed note that a side of the comparison has. */
export interface SignedNote extends NamedTree {
  readonly note: string
}

/** The longest checkpoint that enough witnesses cosigned. */
export interface CosignedTree {
  readonly size: number
  readonly cosignatures: readonly Cosignature[]
}

/** Reports a tree that the leaves beside it do not make. */
export function requireNamedRoot(
  { of, signed }: NamedTree,
  {
    tree,
    compared,
    findings,
  }: { readonly tree: GrownTree; readonly compared: Set<string>; readonly findings: Findings },
): void {
  const named = `${signed.size} ${signed.root.toString('base64')}`
  if (signed.size < tree.from) {
    if (!compared.has(named))
      findings.fault(
        `${of} names a tree of ${signed.size} leaves, and only what follows ${tree.from} leaves is compared: compare it with --whole.`,
      )
    // The parts that follow do not report it again.
    compared.add(named)
    return
  }
  // A leaf that is gone is reported by itself, and leaves no root.
  const root = signed.size > tree.size() ? null : tree.rootAt(signed.size)
  if (root !== null) compared.add(named)
  if (root !== null && !root.equals(signed.root))
    findings.fault(
      `${of}: the leaves do not make the root that it names for ${signed.size} leaves: another history was put there.`,
    )
}

/** Null if no witnesses are given, or if too few cosigned, which is a fault. */
export function requireCosigned(
  notes: readonly SignedNote[],
  policy: WitnessPolicy,
  findings: Findings,
): CosignedTree | null {
  if (policy.witnesses.length === 0) return null
  let refusal: string | null = null
  // From the longest one on; the first error is about that one.
  for (const { note, signed } of notes.toSorted((one, other) => other.signed.size - one.signed.size))
    try {
      return { size: signed.size, cosignatures: requireWitnesses(note, policy) }
    } catch (error) {
      if (!(error instanceof CosignatureError) && !(error instanceof UnsignedNoteError)) throw error
      refusal ??= error.message
    }
  findings.fault(refusal ?? 'There is no checkpoint that counts and that witnesses could have cosigned.')
  return null
}
