/** The use of the account's keys, call by call. */
import type { Page } from '../../server/page.js'
import { showAudit } from './show-audit.js'

export const auditPages: readonly Page[] = [showAudit]
