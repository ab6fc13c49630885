/** The request to examine an address. */
import type { CompiledPolicy, LabelFacts, LabelSetFacts, PriceTable } from '@cupel/domain'

export interface ExamineRequest {
  readonly chain: string
  /** Canonical. */
  readonly address: string
  /** Identifies the state of the ledger. */
  readonly ledgerSeq: number
  readonly policy: CompiledPolicy
  readonly labelSets: readonly LabelSetFacts[]
  /** Daily prices that give amounts a value in dollars. */
  readonly prices?: PriceTable | null
  /** UTC, RFC 3339. */
  readonly generatedAt: string
  /** Reads all labels under each look-up key, in the state of labels that the report uses. */
  readonly labelsOf: (lookupKeys: readonly string[]) => Promise<ReadonlyMap<string, readonly LabelFacts[]>>
}
