/** The API as a process. */
import { connectService, runService } from '@cupel/service-kit'
import { startApi } from './start-api.js'

runService('api', async (frame) => startApi({ ...frame, ...(await connectService(frame)) }))
