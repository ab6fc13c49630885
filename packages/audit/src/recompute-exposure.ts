/** Exposure worked out again from the ledger, level C. */
import type { ReportGenerated } from '@cupel/contracts'

export type ExposureAgain =
  | { readonly outcome: 'derived'; readonly recorded: unknown; readonly derived: unknown }
  | { readonly outcome: 'not-derivable'; readonly reason: string }
  /** The report rests on no ledger. */
  | { readonly outcome: 'nothing-recorded'; readonly reason: null }

export async function rederiveExposure({ inputs }: ReportGenerated): Promise<ExposureAgain> {
  if (inputs.exposure === null) return { outcome: 'nothing-recorded', reason: null }
  return {
    outcome: 'not-derivable',
    reason: `This version cannot read the state ${inputs.exposure.ledgerSeq} of the ledger again.`,
  }
}
