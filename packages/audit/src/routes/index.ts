export { auditFeature } from './feature.js'
export { readKeys, readUsage } from './usage/get-usage.js'
export { readUsageDays } from './usage/list-usage-days.js'
