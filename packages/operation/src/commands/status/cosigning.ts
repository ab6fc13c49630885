/** The state of the witnesses of the transparency log, in `cupel status`. */
import { readCosigning } from '@cupel/evidence/transparency'
import type { Connections } from '@cupel/command-line/installation'

export interface Cosigning {
  /** Leaves of the last checkpoint of the transparency log. */
  readonly size: number
  /** Leaves, and age, of the last one that enough witnesses cosigned; null if there is none. */
  readonly cosigned_size: number | null
  readonly cosigned_age_ms: number | null
  readonly witnesses: readonly {
    readonly name: string
    readonly size: number
    readonly cosigned_age_ms: number | null
    /** Failed tries in a row, and a clause about the last one; null if it cosigned. */
    readonly failures: number
    readonly failure: string | null
  }[]
}

/** Null if no witness is asked. */
export async function cosigningOf(
  { database }: Pick<Connections, 'database'>,
  log: string,
): Promise<Cosigning | null> {
  const state = await readCosigning(database, log)
  if (state === null) return null
  return {
    size: state.size,
    cosigned_size: state.cosigned?.size ?? null,
    cosigned_age_ms: rounded(state.cosigned?.ageMs ?? null),
    witnesses: state.witnesses.map(({ name, size, cosignedAgeMs, failures, failure }) => {
      return { name, size, cosigned_age_ms: rounded(cosignedAgeMs), failures, failure }
    }),
  }
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

/** A sentence about the last cosigned checkpoint. */
export function cosigningText({ size, cosigned_size: cosigned, cosigned_age_ms: ageMs }: Cosigning): string {
  if (cosigned === null)
    return 'No checkpoint of the transparency log has enough cosignatures of witnesses yet.'
  return `Enough witnesses cosigned ${cosigned} of the ${size} leaves of the transparency log, ${Math.round(ageMs! / 1_000)} s ago.`
}
