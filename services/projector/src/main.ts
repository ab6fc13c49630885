/** The projector as a process. */
import { readModels } from '@cupel/operation/read-models'
import { connectService } from '@cupel/operation/connections'
import { runService, type Config } from '@cupel/kit/service'
import { startProjector } from './start-projector.js'

/** One per read model, two each for the relay, evidence and the latest reports, one in reserve: more would only wait for each other. */
const PROJECTOR_CONNECTIONS = readModels.length + 7

/** The embedded log uses the same connections and needs some of them. */
function maxConnections(config: Config): number {
  const wanted = config.CUPEL_DATABASE_CONNECTIONS
  return config.CUPEL_LOG === 'embedded' ? wanted : Math.min(PROJECTOR_CONNECTIONS, wanted)
}

runService('projector', async (frame) =>
  startProjector({ ...frame, ...(await connectService(frame, { maxConnections })) }),
)
