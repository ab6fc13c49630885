/** The bulk coordinator as a process. */
import { connectService } from '@cupel/operation/connections'
import { runService, type Config } from '@cupel/kit/service'
import { startBulkCoordinator } from './start-bulk-coordinator.js'

/** One each for the lease, reading, releasing, announcing, watches and pace. */
const COORDINATOR_CONNECTIONS = 6

/** The embedded log uses the same connections and needs some of them. */
function maxConnections(config: Config): number {
  const wanted = config.CUPEL_DATABASE_CONNECTIONS
  return config.CUPEL_LOG === 'embedded' ? wanted : Math.min(COORDINATOR_CONNECTIONS, wanted)
}

runService('bulk-coordinator', async (frame) =>
  startBulkCoordinator({ ...frame, ...(await connectService(frame, { maxConnections })) }),
)
