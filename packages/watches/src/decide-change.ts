/** Whether the account of a watched address is notified of a later report as a change. Pure. */

export interface Finding {
  readonly level: string
  /** 0 to 100, at most two decimals. */
  readonly score: number
}

/**
 * A changed level always counts; a score counts if it moved by at least the threshold, up or down. `told` is the report that the
 * account was last notified of, or the first one. If each report were compared with its predecessor, a score could creep unnoticed.
 */
export function isChange(told: Finding, next: Finding, thresholdHundredths: number): boolean {
  return (
    told.level !== next.level ||
    Math.abs(hundredths(next.score) - hundredths(told.score)) >= thresholdHundredths
  )
}

/** Scores are compared as whole hundredths, because 0.1 + 0.2 does not equal 0.3. */
export function hundredths(points: number): number {
  return Math.round(points * 100)
}
