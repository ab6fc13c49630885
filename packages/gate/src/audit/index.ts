export { apiCallOf, tokenCallOf } from './api-call.js'
export { type AuditTrail, createAuditTrail } from './audit-trail.js'
