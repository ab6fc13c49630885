// Retries work that depends on servers on the network.
import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 3
const PAUSE_MS = 5_000

/**
 * @template Result
 * @param {() => Promise<Result>} work Leaves nothing behind if it fails.
 * @returns {Promise<Result>} Rejects with the error of the last try.
 */
export async function persist(work) {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      // A missing program stays missing, so a retry does not help.
      if (left === 0 || error.code === 'ENOENT') throw error
      console.log(
        `tried again: ${String(error.stderr ?? error.message)
          .trim()
          .split('\n')
          .at(-1)}`,
      )
      await sleep(PAUSE_MS)
    }
  }
}
