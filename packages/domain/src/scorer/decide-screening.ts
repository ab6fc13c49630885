/** Decides a screening with the current scorer. */
import type { ReportGenerated } from '@cupel/contracts'
import { ORIGIN_TABLE_VERSION } from '../labels/origin-table.js'
import { scoreScreening, type ScreeningInputs, type Sha256Hex } from './versions.js'

export type ScreeningDecision =
  | { readonly outcome: 'decided'; readonly event: ReportGenerated }
  /** Without labels nothing can be decided: the caller gets 503 and the request is kept. */
  | { readonly outcome: 'unavailable'; readonly detail: string }

/**
 * Decides a screening, or reports it as unavailable where the label view is missing.
 * @param sha256 a faster hash than plain ECMAScript, where the caller has one; the bytes are the same
 */
export function decideScreening(
  inputs: Omit<ScreeningInputs, 'originTableVersion'>,
  sha256?: Sha256Hex,
): ScreeningDecision {
  if (inputs.snapshot.labelView === 'missing') {
    return { outcome: 'unavailable', detail: 'The labels cannot be read at present.' }
  }
  const event = scoreScreening({ ...inputs, originTableVersion: ORIGIN_TABLE_VERSION }, sha256)
  return { outcome: 'decided', event }
}
