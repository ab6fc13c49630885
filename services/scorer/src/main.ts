/** The scorer as a process. */
import { connectService } from '@cupel/operation/connections'
import { runService, type Config } from '@cupel/kit/service'
import { startScorer } from './start-scorer.js'

/** Scorers of one lane are counted separately, so that a lane without scorers is noticed. */
function role({ CUPEL_SCORER_LANE: lane }: Config): string {
  return lane === 'both' ? 'scorer' : `${lane}-scorer`
}

runService('scorer', async (frame) => startScorer({ ...frame, ...(await connectService(frame, { role })) }))
