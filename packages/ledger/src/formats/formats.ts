import { bitcoinEtl } from './bitcoin-etl.js'
import { blocks, BLOCKS } from './blocks.js'
import { cryo } from './cryo.js'
import { ethereumEtl } from './ethereum-etl.js'
import type { LedgerFormat } from './ledger-row.js'
import { transfersCsv } from './transfers-csv.js'

/** All ledger formats by name. */
export const ledgerFormats: Readonly<Record<string, LedgerFormat>> = {
  csv: transfersCsv,
  'ethereum-etl': ethereumEtl,
  'bitcoin-etl': bitcoinEtl,
  cryo,
  [BLOCKS]: blocks,
}

export const ledgerFormatNames: readonly string[] = Object.keys(ledgerFormats)
