/** Sets the system clock of this process wrong. The database and other processes keep the right time. */

/** Shifts `Date` until the returned function is called. Timers and `performance.now()` go on as before. */
export function skewMachineClock(skewMs: number): () => void {
  const RealDate = globalThis.Date
  class SkewedDate extends RealDate {
    constructor(...parts: readonly unknown[]) {
      if (parts.length === 0) super(RealDate.now() + skewMs)
      else super(...(parts as [number]))
    }
    static override now(): number {
      return RealDate.now() + skewMs
    }
  }
  globalThis.Date = SkewedDate as DateConstructor
  return () => void (globalThis.Date = RealDate)
}
