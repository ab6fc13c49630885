/** The label refresher as a process. */
import { connectService } from '@cupel/operation/connections'
import { runService } from '@cupel/kit/service'
import { startLabelRefresher } from './start-label-refresher.js'

runService('label-refresher', async (frame) =>
  startLabelRefresher({ ...frame, ...(await connectService(frame)) }),
)
