export { operationFeature } from './feature.js'
export { readInstallationHealth } from './installation-health.js'
