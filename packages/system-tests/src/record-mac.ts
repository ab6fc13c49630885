/** MACs, computed only from their descriptions, without code of the product. That of a record is in docs/adr/0297. */
import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PlainRecord {
  readonly key: string
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

/** The record as a process of the installation in the home would append it. */
export function withMac(home: string, topic: string, record: PlainRecord): PlainRecord {
  const { active, key } = keyOf(home)
  const parts = [topic, record.key, ...Object.entries(record.headers).flat()]
  const described = `cupel record mac v1 ${parts.map((part) => `${part.length}:${part}`).join('')};`
  const mac = createHmac('sha256', key).update(described).update(record.value).digest('base64url')
  return { ...record, headers: { ...record.headers, cupel_mac: `${active}.${mac.slice(0, 22)}` } }
}

/** The MAC of a text that a process of the installation keeps outside of the log. */
export function textMac(home: string, purpose: string, text: string): string {
  const { active, key } = keyOf(home)
  const described = `cupel text mac v1 ${purpose.length}:${purpose}${text}`
  return `${active}.${createHmac('sha256', key).update(described).digest('base64url')}`
}

function keyOf(home: string): { readonly active: string; readonly key: Buffer } {
  const { active, keys } = JSON.parse(readFileSync(join(home, 'record-keys.json'), 'utf8')) as {
    active: string
    keys: string[]
  }
  const key = keys.map((text) => Buffer.from(text, 'base64url')).find((bytes) => idOf(bytes) === active)!
  return { active, key }
}

const idOf = (key: Buffer): string =>
  createHash('sha256').update('cupel record key id v1 ').update(key).digest('hex').slice(0, 12)
