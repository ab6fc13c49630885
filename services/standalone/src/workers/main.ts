/** The services that mostly rest, as one process: `cupel start --kafka` without `--processes`. */
import { connectService } from '@cupel/operation/connections'
import { runService, type Config } from '@cupel/kit/service'
import { startWorkers } from './start-workers.js'

/** The lease of the coordinator and the claims of the dispatcher wait for nobody else. */
const FURTHER_CONNECTIONS = 8

const maxConnections = ({ CUPEL_DATABASE_CONNECTIONS: each }: Config): number => each + FURTHER_CONNECTIONS

runService('workers', async (frame) =>
  startWorkers({
    ...frame,
    ...(await connectService(
      { ...frame, name: 'projector' },
      { maxConnections, shared: ['bulk-coordinator', 'label-refresher', 'webhook-dispatcher'] },
    )),
  }),
)
