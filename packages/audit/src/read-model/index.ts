export {
  type AuditCursor,
  type AuditEntry,
  type AuditPage,
  type AuditQuery,
  listAuditEntries,
} from './queries.js'
export { auditView } from './reducers.js'
export { type KeyDay, countUsage, listUsageDays } from './usage.js'
