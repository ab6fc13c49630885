/** The ledger of the installation, for operators. */
import type { Endpoint } from '@cupel/gate/http'
import { getLedger, type LedgerParts } from './get-ledger.js'
import { listLedgerImports } from './list-ledger-imports.js'

interface Parts {
  readonly listImports: Omit<LedgerParts, 'policyInForce'>
  readonly policy: Pick<LedgerParts, 'policyInForce'>
}

export function ledgerFeature({ listImports, policy }: Parts): readonly Endpoint[] {
  const parts = { ...listImports, policyInForce: policy.policyInForce }
  return [getLedger(parts), listLedgerImports(parts)]
}
