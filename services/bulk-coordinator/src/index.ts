export { COORDINATOR_GROUP, coordinatorDeadLetterTopic } from './follow-jobs.js'
export { bulkMigrations } from './migrations.js'
export { startBulkCoordinator } from './start-bulk-coordinator.js'
export type { BulkCoordinatorDeps } from './start-bulk-coordinator.js'
