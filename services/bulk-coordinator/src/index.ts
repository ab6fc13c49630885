export {
  readBacklogSize,
  COORDINATOR_GROUP,
  noteReleased,
  replayJobs,
  bulkMigrations,
} from '@cupel/bulk/worker'
export { startBulkCoordinator } from './start-bulk-coordinator.js'
