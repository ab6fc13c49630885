export {
  type AuditCursor,
  type AuditEntry,
  type AuditPage,
  type AuditQuery,
  listAuditEntries,
} from './queries.js'
export { auditView } from './reducers.js'
export { type KeyDay, type UsageDayCursor, type UsageDayPage, countUsage, listUsageDays } from './usage.js'
