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

/** A signed note that a side of the comparison has. */
export interface SignedNote {
  /** `Database`, or the file. */
  readonly of: string
  readonly note: string
  readonly signed: Checkpoint
}

/** The longest checkpoint that enough witnesses cosigned. */
export interface CosignedTree {
  readonly size: number
  readonly cosignatures: readonly Cosignature[]
}

/** Reports each cosigned checkpoint that does not match the tree of the leaves beside it. */
export function requireCosignedRoot({ of, signed }: SignedNote, tree: GrownTree, findings: Findings): void {
  // A leaf that is gone is reported by itself, and leaves no root.
  const root = signed.size > tree.size() ? null : tree.rootAt(signed.size)
  if (root !== null && !root.equals(signed.root))
    findings.fault(`${of}: the leaves do not make the root of the checkpoint that witnesses cosigned.`)
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
