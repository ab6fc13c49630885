/** Whether a later report of a watched address is a change that its account is told of. Pure. */

export interface Finding {
  readonly level: string
  /** 0 to 100, at most two decimals. */
  readonly score: number
}

/**
 * A changed level always counts; a score counts where it moved by at least the threshold, up or down. `told` is the report that the
 * account was told of last, or the first one: compared with each report before, a score could creep any distance unseen.
 */
export function isChange(told: Finding, next: Finding, thresholdHundredths: number): boolean {
  return (
    told.level !== next.level ||
    Math.abs(hundredths(next.score) - hundredths(told.score)) >= thresholdHundredths
  )
}

/** Scores are compared as whole hundredths: 0.1 + 0.2 is no 0.3. */
export function hundredths(points: number): number {
  return Math.round(points * 100)
}
