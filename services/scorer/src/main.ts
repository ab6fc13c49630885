/** The scorer as a process. */
import { connectService, runService } from '@cupel/service-kit'
import { startScorer } from './start-scorer.js'

runService('scorer', async (frame) => startScorer({ ...frame, ...(await connectService(frame)) }))
