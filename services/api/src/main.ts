/** The API as a process. */
import { connectService } from '@cupel/operation/connections'
import { runService } from '@cupel/kit/service'
import { startApi } from './start-api.js'

runService('api', async (frame) => startApi({ ...frame, ...(await connectService(frame)) }))
