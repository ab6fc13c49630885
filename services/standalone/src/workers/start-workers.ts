/** The services that mostly rest, in one process, for the Kafka profile on one machine. */
import { startBulkCoordinator } from '@cupel/bulk-coordinator'
import type { RunningService } from '@cupel/kit/service'
import { startLabelRefresher, startProjector } from '@cupel/projector'
import { startWebhookDispatcher } from '@cupel/webhook-dispatcher'
import { allStarted, startTogether } from '../start-together.js'

export type WorkersDeps = Parameters<typeof startProjector>[0] &
  Parameters<typeof startBulkCoordinator>[0] &
  Parameters<typeof startLabelRefresher>[0] &
  Parameters<typeof startWebhookDispatcher>[0]

export const startWorkers = (deps: WorkersDeps): Promise<RunningService> =>
  startTogether({ name: 'workers', logger: deps.logger }, (started) =>
    allStarted([
      startProjector(deps).then(started),
      startBulkCoordinator(deps).then(started),
      startLabelRefresher(deps).then(started),
      startWebhookDispatcher(deps).then(started),
    ]),
  )
