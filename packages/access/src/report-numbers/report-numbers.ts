/** Numbers of reports: those of an epoch that this process alone has, counted in its memory. */
import { NUMBERS_PER_EPOCH } from './epoch.js'

/**
 * A process claims its next epoch this often while it makes reports, so that the log tells of every hour: a database that was restored from an
 * older backup is behind the log, and no service starts on it (databaseBehindLog).
 */
export const EPOCH_RENEWAL_MS = 3_600_000

/** Reserves `count` consecutive numbers, at most an epoch of them, and returns the first. */
export type TakeReportNumbers = (count: number) => Promise<bigint>

/**
 * Counts the numbers of an epoch, and claims the next epoch behind its end. After the first claim no number needs the database: one
 * that was restored or failed over while this process runs changes nothing.
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
    // Nobody waits for it. Where it fails, the numbers at hand are as good as before, and the next hour tries again.
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
