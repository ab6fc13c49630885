/**
 * The token bucket behind every rate limit, as one number: the time at which the bucket will be full again. This is the
 * generic cell rate algorithm (ITU-T I.371, "virtual scheduling"): over any time Δt no more than `depth + Δt / interval`
 * tokens leave the bucket, and a call finds a token whenever there is one. `access.settled_us` and `access.available_tokens` in
 * Postgres are the same arithmetic on the same integers; tests compare the two.
 */

export interface TokenBucket {
  /** Microseconds in which one token is refilled. */
  readonly intervalUs: number
  /** Tokens a full bucket holds. */
  readonly depth: number
}

export interface TakenTokens {
  /** Tokens given, at most the number that was wanted. */
  readonly granted: number
  /** Tokens in the bucket before the call. */
  readonly available: number
  /** When the bucket will be full again, in microseconds of its clock. */
  readonly fullAtUs: number
}

/** The state of a bucket after a call. */
export interface BucketStanding {
  /** Whole tokens left. */
  readonly remaining: number
  /** Microseconds until there is one whole token more; 0 if the bucket is full. */
  readonly nextTokenUs: number
}

const MICROSECONDS_PER_SECOND = 1_000_000

/** Rates that do not divide a second are rounded down, never up: a bucket must not give more than it promises. */
export function tokenBucket(tokensPerSecond: number, depth: number): TokenBucket {
  if (!(tokensPerSecond > 0) || !Number.isInteger(depth) || depth < 1)
    throw new RangeError('A bucket has a positive rate and room for one token at least')
  return { intervalUs: Math.ceil(MICROSECONDS_PER_SECOND / tokensPerSecond), depth }
}

/**
 * Takes up to `wanted` tokens at `nowUs`. A clock that was set back leaves the bucket empty, not in debt, so that no caller waits longer
 * than a full bucket takes.
 */
export function takeTokens(
  bucket: TokenBucket,
  fullAtUs: number,
  nowUs: number,
  wanted: number,
): TakenTokens {
  const wholeUs = bucket.depth * bucket.intervalUs
  const from = Math.min(Math.max(fullAtUs, nowUs), nowUs + wholeUs)
  const available = Math.floor((nowUs + wholeUs - from) / bucket.intervalUs)
  const granted = Math.min(wanted, available)
  return { granted, available, fullAtUs: from + granted * bucket.intervalUs }
}

/** `debtUs`: microseconds until the bucket is full again. */
export function bucketStanding(bucket: TokenBucket, debtUs: number): BucketStanding {
  const wholeUs = bucket.depth * bucket.intervalUs
  const debt = Math.min(Math.max(debtUs, 0), wholeUs)
  const remaining = Math.floor((wholeUs - debt) / bucket.intervalUs)
  const nextTokenUs = debt === 0 ? 0 : debt - (bucket.depth - remaining - 1) * bucket.intervalUs
  return { remaining, nextTokenUs }
}

/** Seconds an empty bucket takes to fill, rounded up. */
export function bucketWindowSeconds(bucket: TokenBucket): number {
  return wholeSeconds(bucket.depth * bucket.intervalUs)
}

/** Rounded up, so that a caller who waits this long finds a token. */
export function wholeSeconds(microseconds: number): number {
  return Math.ceil(microseconds / MICROSECONDS_PER_SECOND)
}
