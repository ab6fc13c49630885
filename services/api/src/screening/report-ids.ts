/**
 * Report ids without a round trip each: numbers are taken from the database in blocks, and a keyed permutation turns them into
 * names that are unique and say nothing about how many there are. A block whose process died is lost, never used again.
 */

export interface ReportIds {
  next(): Promise<string>
}

export interface ReportIdsOptions {
  /** Takes a block of numbers nobody else gets and returns the first. */
  readonly take: (count: number) => Promise<number>
  /** Names of so many numbers in a row. */
  readonly idsOf: (first: number, count: number) => readonly string[]
}

/** Numbers per block: at 3,000 screens per second a block lasts over a second. */
const BLOCK_SIZE = 4_096
/** The next block is fetched while this many are left, so that nobody waits for it. */
const FETCH_AHEAD = 1_024
/** Names made at once: a call of the cipher costs more than what it computes for one of them. */
const NAMES_AT_ONCE = 64

export function createReportIds(options: ReportIdsOptions): ReportIds {
  let next = 0
  let end = 0
  let names: readonly string[] = []
  let named = 0
  let ahead: number | null = null
  let fetching: Promise<void> | null = null

  const fetch = (): Promise<void> => {
    fetching ??= options
      .take(BLOCK_SIZE)
      .then((first) => void (ahead = first))
      .finally(() => (fetching = null))
    return fetching
  }
  return {
    async next() {
      while (next === end) {
        if (ahead === null) await fetch()
        // Another caller may have taken the block while this one waited for it.
        if (next === end && ahead !== null) {
          next = ahead
          end = next + BLOCK_SIZE
          ahead = null
        }
      }
      if (named === names.length) {
        names = options.idsOf(next, Math.min(NAMES_AT_ONCE, end - next))
        named = 0
      }
      const name = names[named]!
      named += 1
      next += 1
      // Fetched in the background: whoever finds no block left asks again and sees the error.
      if (end - next < FETCH_AHEAD && ahead === null && fetching === null) fetch().catch(ignoreUntilNeeded)
      return name
    },
  }
}

function ignoreUntilNeeded(): void {}
