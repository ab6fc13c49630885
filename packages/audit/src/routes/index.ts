export { auditFeature } from './feature.js'
