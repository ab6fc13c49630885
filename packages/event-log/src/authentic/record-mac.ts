/**
 * The MAC of a record: HMAC-SHA256 (RFC 2104) over its content and its place, so that a record is valid only on its own topic, under its
 * own key and as its own event.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { Headers, LogRecord, NewRecord } from '../port.js'
import type { RecordKeys } from './record-keys.js'

/** Header `<key id>.<MAC>`. */
export const MAC_HEADER = 'cupel_mac'

/** The covered fields. The offset is not known when a record is appended. */
export type Covered = Pick<LogRecord | NewRecord, 'topic' | 'key' | 'headers' | 'value'>

const DOMAIN = 'cupel record mac v1'
/** Characters of base64url kept of the MAC: 132 bits. RFC 2104, section 5, requires at least half of the 256. */
const MAC_CHARACTERS = 22

/** The record with a MAC of the active key, replacing any other. */
export function withMac({ activeId, byId }: RecordKeys, record: NewRecord): NewRecord {
  const mac = macText(activeId, byId.get(activeId)!, record)
  return { ...record, headers: { ...record.headers, [MAC_HEADER]: mac } }
}

function macText(keyId: string, key: KeyObject, record: Covered): string {
  return `${keyId}.${macOf(key, record)}`
}

/** The id of the key that a header names; any producer may have written the header. */
export function keyIdOf(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf('.')))
}

/** Whether the header is the one that the record gets with this key. Takes the same time wherever they differ. */
export function isMacText(text: string, keyId: string, key: KeyObject, record: Covered): boolean {
  const expected = Buffer.from(macText(keyId, key, record))
  const given = Buffer.from(text)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function macOf(key: KeyObject, { topic, key: recordKey, headers, value }: Covered): string {
  return createHmac('sha256', key)
    .update(described(topic, recordKey, headers))
    .update(value)
    .digest('base64url')
    .slice(0, MAC_CHARACTERS)
}

/**
 * Topic without installation prefix, record key and every other header in its order, each after its length in UTF-16 code units, so that no
 * two records have the same description. The value follows.
 */
function described(topic: string, recordKey: string, headers: Headers): string {
  let text = `${DOMAIN} ${topic.length}:${topic}${recordKey.length}:${recordKey}`
  for (const name in headers) {
    if (name === MAC_HEADER) continue
    const value = headers[name]!
    text += `${name.length}:${name}${value.length}:${value}`
  }
  return `${text};`
}
