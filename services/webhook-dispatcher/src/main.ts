/** The webhook dispatcher as a process. */
import { connectService } from '@cupel/operation/connections'
import { runService } from '@cupel/kit/service'
import { startWebhookDispatcher } from './start-webhook-dispatcher.js'

runService('webhook-dispatcher', async (frame) =>
  startWebhookDispatcher({ ...frame, ...(await connectService(frame)) }),
)
