export { startBulkCoordinator } from './start-bulk-coordinator.js'
