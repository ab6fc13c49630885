// Work that needs others on the network: what fails once is tried again.
import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 3
const PAUSE_MS = 5_000

/**
 * @template Result
 * @param {() => Promise<Result>} work Leaves nothing behind where it fails.
 * @returns {Promise<Result>} Rejects with the error of the last try.
 */
export async function persist(work) {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      // A program that is missing stays missing.
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
