/** What the ledger holds and what is missing, for operators. */
import type { Page } from '@cupel/console'
import { showLedger } from './show-ledger.js'

export const ledgerPages: readonly Page[] = [showLedger]
