/** Ids of events: name-based where a consumer decided, time-ordered where a person asked. */
import { parse, v5, v7 } from 'uuid'

// Bytes, not text: an import decides ids by the ten thousand, and the library converts text slowly.
const NAMESPACE = parse('6d0c1f9e-5f0b-5d35-9c86-0f7b8a0e7c11')
const utf8 = new TextEncoder()

/** UUIDv5 (RFC 9562) of the given parts: the same decision made twice gets the same id. */
export function decidedEventId(...parts: readonly [string, ...string[]]): string {
  return v5(utf8.encode(JSON.stringify(parts)), NAMESPACE)
}

/** UUIDv7 (RFC 9562) for an event a person asked for. */
export function requestedEventId(): string {
  return v7()
}
