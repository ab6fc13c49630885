/** The label refresher as a process. */
import { connectService, runService } from '@cupel/service-kit'
import { startLabelRefresher } from './start-label-refresher.js'

runService('label-refresher', async (frame) =>
  startLabelRefresher({ ...frame, ...(await connectService(frame)) }),
)
