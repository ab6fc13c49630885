/** Screening one transfer. */
import type { Page } from '@cupel/console'
import { showTransfers } from './show-transfers.js'
import { submitTransfer } from './submit-transfer.js'

export const transferPages: readonly Page[] = [showTransfers, submitTransfer]
