/** Ids of events: name-based if a consumer decided, time-ordered if a person asked. */
import { parse, v5, v7 } from 'uuid'

// Bytes instead of text: an import makes tens of thousands of ids, and the library converts text slowly.
const NAMESPACE = parse('6d0c1f9e-5f0b-5d35-9c86-0f7b8a0e7c11')
const utf8 = new TextEncoder()

/** UUIDv5 (RFC 9562) of the given parts: the same decision made twice gets the same id. */
export function decidedEventId(...parts: readonly [string, ...string[]]): string {
  return v5(utf8.encode(JSON.stringify(parts)), NAMESPACE)
}

/** UUIDv7 (RFC 9562) for an event a person asked for. */
export function requestedEventId(): string {
  return requestedEventIdAt(Date.now())
}

/** Like `requestedEventId`, with the time that readers take from the id, in milliseconds since 1970. */
export function requestedEventIdAt(atMs: number): string {
  return v7({ random: nextRandom(), msecs: Math.floor(atMs) })
}

const RANDOM_BYTES = 16
/** A call of the random generator costs more than the rest of an id, so random bytes are fetched in bulk. */
const pool = new Uint8Array(4_096)
let used = pool.length

function nextRandom(): Uint8Array {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += RANDOM_BYTES
  return pool.subarray(used - RANDOM_BYTES, used)
}
