/**
 * Hands out report ids without a round trip for each. It takes numbers in blocks, and a keyed permutation turns them into unique names that
 * do not reveal how many there are. When the process dies, the rest of its block is lost.
 */

export interface ReportIds {
  next(): Promise<string>
}

export interface ReportIdsOptions {
  /** Reserves a block of numbers and returns the first. */
  readonly take: (count: number) => Promise<bigint>
  /** The names of `count` consecutive numbers. */
  readonly idsOf: (first: bigint, count: number) => readonly string[]
}

/** Numbers per block: at 3,000 screens per second a block lasts over a second. */
const BLOCK_SIZE = 4_096
/** The next block is fetched while this many are left, so that no call waits for it. */
const FETCH_AHEAD = 1_024
/** Names made at once: the fixed cost of calling the cipher exceeds the cost of one name. */
const NAMES_AT_ONCE = 64

export function createReportIds(options: ReportIdsOptions): ReportIds {
  let next = 0n
  let end = 0n
  let names: readonly string[] = []
  let named = 0
  let ahead: bigint | null = null
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
          end = next + BigInt(BLOCK_SIZE)
          ahead = null
        }
      }
      if (named === names.length) {
        names = options.idsOf(next, Math.min(NAMES_AT_ONCE, Number(end - next)))
        named = 0
      }
      const name = names[named]!
      named += 1
      next += 1n
      // Fetched in the background: a call that finds no block left fetches again and gets the error.
      if (Number(end - next) < FETCH_AHEAD && ahead === null && fetching === null)
        fetch().catch(ignoreUntilNeeded)
      return name
    },
  }
}

function ignoreUntilNeeded(): void {}
