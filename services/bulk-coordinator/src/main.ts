/** The bulk coordinator as a process. */
import { connectService } from '@cupel/service-connections'
import { runService, type Config } from '@cupel/service-kit'
import { startBulkCoordinator } from './start-bulk-coordinator.js'

/** One for the shards, one each for reading, releasing, announcing, watches, backlog and pace, and one in reserve. */
const COORDINATOR_CONNECTIONS = 8

/** The embedded log uses the same connections and needs some of them. */
function maxConnections(config: Config): number {
  const wanted = config.CUPEL_DATABASE_CONNECTIONS
  return config.CUPEL_LOG === 'embedded' ? wanted : Math.min(COORDINATOR_CONNECTIONS, wanted)
}

runService('bulk-coordinator', async (frame) =>
  startBulkCoordinator({ ...frame, ...(await connectService(frame, { maxConnections })) }),
)
