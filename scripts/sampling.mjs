// Arrivals that are drawn from a seed, percentiles, and what chance makes of them.

const RESAMPLES = 2_000
/** Of the resamples, those between the 2.5th and the 97.5th percentile. */
const TAIL = 0.025

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function drawFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Milliseconds of independent arrivals (Poisson) from a seed: calls that keep time with each other would meet always or never. */
export function arrivals(perSecond, seconds, seed) {
  const draw = drawFrom(seed)
  const gapMs = () => (-Math.log(1 - draw()) * 1_000) / perSecond
  const times = []
  for (let ms = gapMs(); ms < seconds * 1_000; ms += gapMs()) times.push(ms)
  return times
}

/** The value below which this share of the values is; null where there is none. */
export function at(values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}

/**
 * The percentile of all rounds of `over` divided by the one of `under`, with an interval of 95 % (bootstrap). Whole rounds are drawn, because calls of
 * one round are not independent of each other.
 */
export function ratioOfPercentiles(over, under, share, resamples = RESAMPLES) {
  const ratioOf = (rounds) =>
    at(
      rounds.flatMap((round) => over[round]),
      share,
    ) /
    at(
      rounds.flatMap((round) => under[round]),
      share,
    )
  const rounds = over.map((_, round) => round)
  const draw = drawFrom(1)
  const ratios = Array.from({ length: resamples }, () =>
    ratioOf(rounds.map(() => Math.floor(draw() * rounds.length))),
  )
  return { value: ratioOf(rounds), low: at(ratios, TAIL), high: at(ratios, 1 - TAIL) }
}
