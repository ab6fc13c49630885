export { getHealth } from './get-health.js'
export { getInstallationHealth } from './get-installation-health.js'
export { getReadiness } from './get-readiness.js'
export { type HealthParts, readInstallationHealth } from './installation-health.js'
