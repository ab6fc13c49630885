/** The use of the account's keys, call by call. */
import type { Page } from '@cupel/console'
import { exportCsv, exportLines } from './export-audit.js'
import { showAudit } from './show-audit.js'

export const auditPages: readonly Page[] = [showAudit, exportCsv, exportLines]
