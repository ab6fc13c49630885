/** The scorer as a process. */
import { connectService } from '@cupel/service-connections'
import { runService } from '@cupel/service-kit'
import { startScorer } from './start-scorer.js'

runService('scorer', async (frame) => startScorer({ ...frame, ...(await connectService(frame)) }))
