/** Every endpoint of the audit log and of usage. */
import type { Endpoint, LargeReads } from '@cupel/gate/http'
import { listAuditLog, type AuditListing } from './audit/list-audit-log.js'
import { getUsage, type UsageParts } from './usage/get-usage.js'
import { listUsageDays, type UsageDayParts } from './usage/list-usage-days.js'

interface Parts {
  readonly auditListing: AuditListing
  readonly bulk: { readonly largeReads: LargeReads }
  readonly usage: UsageParts & UsageDayParts
}

export const auditFeature = ({ auditListing, bulk, usage }: Parts): readonly Endpoint[] => [
  getUsage(usage),
  listUsageDays(usage),
  listAuditLog(auditListing, bulk.largeReads),
]
