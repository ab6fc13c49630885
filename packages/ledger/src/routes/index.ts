/** The ledger of the installation, for operators. */
import type { Endpoint } from '@cupel/gate/http'
import { getLedger, type LedgerParts } from './get-ledger.js'
import { listLedgerImports } from './list-ledger-imports.js'

export const ledgerEndpoints = (parts: LedgerParts): readonly Endpoint[] => [
  getLedger(parts),
  listLedgerImports(parts),
]
