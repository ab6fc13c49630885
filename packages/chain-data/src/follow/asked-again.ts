/** Asks again for what contradicts itself: a reorganisation or a balancer may have come between two answers. */
import { FollowError } from './follow-error.js'

const ASKED_AGAIN = 2

export async function askedAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (let again = ASKED_AGAIN; ; again -= 1) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof FollowError) || error.code !== 'node_contradicts' || again === 0) throw error
    }
  }
}
