/** Checks whether a report, and what people decided about it, is in a transparency log: only from the report, a proof and public keys. */
import { isUtf8 } from 'node:buffer'
import { isIncluded, leafHash, UnsignedNoteError, verifier, type PublicKey } from '@cupel/signing'
import { provenEntries, type ProofOfEntry, type ProvenEntry } from './case-entries.js'
import { openCheckpoint, type OpenedCheckpoint } from './checkpoint.js'
import {
  CosignatureError,
  NO_WITNESSES,
  requireWitnesses,
  type Cosignature,
  type WitnessPolicy,
} from './cosignature.js'
import { parseLeafEntry, saltedHash, type Leaf } from './leaf.js'
import { parseProof } from './proof.js'
import { reportAsRecorded, type ReferenceState } from './sealed-reference.js'

export interface ProvenReport {
  readonly leaf: Leaf
  /** The index of the leaf. */
  readonly index: number
  /** RFC 6962 hash of the leaf, in hex. */
  readonly hash: string
  readonly checkpoint: OpenedCheckpoint
  /** Cosignatures of the given witnesses on the checkpoint. */
  readonly cosignatures: readonly Cosignature[]
  /** Whether the customer reference of the report is also proven; null if the log has it as the report shows it. */
  readonly reference: ReferenceState | null
  /** The case of the report, oldest entry first, if the proof has it: none before the last one is left out. */
  readonly entries: readonly ProvenEntry[]
}

const OPENING_BRACE = 0x7b

/** The proof does not prove the report; the message is a sentence that says why. */
export class UnprovenReportError extends Error {
  override readonly name = 'UnprovenReportError'
}

/**
 * Throws UnprovenReportError, also if fewer witnesses cosigned than the policy needs. `report` is the answer of the API exactly as
 * received, byte for byte.
 */
export function verifyReport(
  report: Uint8Array,
  proofBytes: Uint8Array,
  keys: readonly PublicKey[],
  policy: WitnessPolicy = NO_WITNESSES,
): ProvenReport {
  const proof = isUtf8(proofBytes) ? parseProof(Buffer.from(proofBytes).toString('utf8')) : null
  if (proof === null) throw new UnprovenReportError('The proof is not well-formed.')
  const checkpoint = checkpointOf(proof.checkpoint, keys)
  const cosignatures = cosignaturesOf(proof.checkpoint, policy)
  const leaf = parseLeafEntry(proof.entry)
  if (leaf === null) throw new UnprovenReportError('The proof holds no leaf.')
  if (leaf.documentHash === null) throw new UnprovenReportError('The leaf is not one of a report.')
  const { index, path } = proof
  const hash = leafHash(Buffer.from(proof.entry, 'latin1'))
  const { size, root } = checkpoint
  if (!isIncluded({ leaf: hash, index, size, path, root }))
    throw new UnprovenReportError('The path does not lead from the leaf to the root of the checkpoint.')
  const recorded =
    proof.reference === null ? { bytes: report, reference: null } : reportAsRecorded(report, proof.reference)
  if (recorded === null)
    throw new UnprovenReportError('The customer reference of the report is not the one of the proof.')
  if (!saltedHash(proof.salt, recorded.bytes).equals(leaf.documentHash))
    throw new UnprovenReportError('The report is not the one of the leaf: not one byte of it may differ.')
  // The leaf of an entry of a case is of a text that begins with a bracket.
  if (report[0] !== OPENING_BRACE) throw new UnprovenReportError('The file is not a report.')
  return {
    ...{ leaf, index, hash: hash.toString('hex'), checkpoint, cosignatures },
    reference: recorded.reference,
    entries: entriesOf(proof.entries, report, checkpoint),
  }
}

function entriesOf(
  entries: readonly ProofOfEntry[],
  report: Uint8Array,
  { size, root }: OpenedCheckpoint,
): readonly ProvenEntry[] {
  if (entries.length === 0) return []
  const { report_id: reportId } = JSON.parse(Buffer.from(report).toString('utf8')) as {
    readonly report_id: string
  }
  const proven = provenEntries(entries, { reportId, size, root })
  if (typeof proven === 'string') throw new UnprovenReportError(proven)
  return proven
}

function checkpointOf(note: string, keys: readonly PublicKey[]): OpenedCheckpoint {
  try {
    const opened = openCheckpoint(note, verifier(keys))
    if (opened !== null) return opened
  } catch (error) {
    if (!(error instanceof UnsignedNoteError)) throw error
    throw new UnprovenReportError(`The checkpoint of the proof does not count. ${error.message}`, {
      cause: error,
    })
  }
  throw new UnprovenReportError('The signed text is not a checkpoint of a transparency log of this key.')
}

function cosignaturesOf(note: string, policy: WitnessPolicy): readonly Cosignature[] {
  try {
    return requireWitnesses(note, policy)
  } catch (error) {
    if (!(error instanceof CosignatureError)) throw error
    throw new UnprovenReportError(error.message, { cause: error })
  }
}
