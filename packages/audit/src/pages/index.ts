export { MAX_CALLS } from './audit/export-audit.js'
export { auditPages } from './audit/index.js'
export { MAX_ROWS } from './usage/export-usage.js'
export { usagePages } from './usage/index.js'
