export { type AuditListing, listAuditLog } from './audit/list-audit-log.js'
export { type UsageParts, getUsage, readKeys, readUsage } from './usage/get-usage.js'
export { type UsageDayParts, listUsageDays, readUsageDays } from './usage/list-usage-days.js'
