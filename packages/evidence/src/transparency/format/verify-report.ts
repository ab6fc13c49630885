/**
 * Checks whether a report, and what people decided about it, is in a transparency log: only from the report, a proof and public keys. The SDK
 * checks the proof, as it does for customers; cosignatures of witnesses are checked here.
 */
import { ProofVerificationError, verifyProof, type ProvenReport as ProvenBySdk } from '@cupel/sdk'
import { verifierKey, type PublicKey } from '@cupel/signing'
import {
  CosignatureError,
  NO_WITNESSES,
  requireWitnesses,
  type Cosignature,
  type WitnessPolicy,
} from './cosignature.js'
import { noteOfProof } from './proof.js'

export type { ProvenEntry } from '@cupel/sdk'

export interface ProvenReport extends ProvenBySdk {
  /** Cosignatures of the given witnesses on the checkpoint. */
  readonly cosignatures: readonly Cosignature[]
}

/** The proof does not prove the report; the message is a sentence that says why. */
export class UnprovenReportError extends Error {
  override readonly name = 'UnprovenReportError'
}

/**
 * Rejects with an UnprovenReportError, also if fewer witnesses cosigned than the policy needs. `report` is the answer of the API exactly as
 * received, byte for byte.
 */
export async function verifyReport(
  report: Uint8Array,
  proof: Uint8Array,
  keys: readonly PublicKey[],
  policy: WitnessPolicy = NO_WITNESSES,
): Promise<ProvenReport> {
  try {
    const proven = await verifyProof(report, proof, { publicKeys: keys.map(verifierKey).join('\n') })
    return { ...proven, cosignatures: requireWitnesses(noteOfProof(proof), policy) }
  } catch (cause) {
    if (!(cause instanceof ProofVerificationError) && !(cause instanceof CosignatureError)) throw cause
    throw new UnprovenReportError(cause.message, { cause })
  }
}
