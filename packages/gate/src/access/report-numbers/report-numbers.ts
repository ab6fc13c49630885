/** Report numbers: only this process owns the numbers of its epoch and counts them in memory. */
import { NUMBERS_PER_EPOCH } from './epoch.js'

/**
 * While it makes reports, a process claims its next epoch this often, so that the log has a claim for every hour. A database that was
 * restored from an older backup is then behind the log, and no service starts on it (databaseBehindLog).
 */
export const EPOCH_RENEWAL_MS = 3_600_000

/** Reserves `count` consecutive numbers, at most an epoch of them, and returns the first. */
export type TakeReportNumbers = (count: number) => Promise<bigint>

/**
 * Counts the numbers of an epoch, and claims the next epoch when it is used up. After the first claim no number needs the database: a
 * restore or failover while this process runs changes nothing.
 * @param claim claims an epoch that no process had
 * @param now a clock that only goes forward, in milliseconds
 */
export async function openReportNumbers(
  claim: () => Promise<number>,
  now: () => number = () => performance.now(),
): Promise<TakeReportNumbers> {
  let { next, end } = numbersOf(await claim())
  let claimedAt = now()
  let claiming: Promise<void> | null = null

  const claimNext = (): Promise<void> => {
    claimedAt = now()
    claiming ??= claim()
      .then((epoch) => void ({ next, end } = numbersOf(epoch)))
      .finally(() => (claiming = null))
    return claiming
  }
  return async (count) => {
    // No call waits for this claim. If it fails, the current numbers stay valid, and the next hour tries again.
    if (now() - claimedAt >= EPOCH_RENEWAL_MS) claimNext().catch(() => undefined)
    // The rest of an epoch that is too small is lost.
    while (next + BigInt(count) > end) await claimNext()
    const first = next
    next += BigInt(count)
    return first
  }
}

function numbersOf(epoch: number): { next: bigint; end: bigint } {
  const next = BigInt(epoch) * NUMBERS_PER_EPOCH
  return { next, end: next + NUMBERS_PER_EPOCH }
}
