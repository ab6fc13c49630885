/** MACs with the record keys, of what a process keeps outside of the log and a later one is to believe. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { TextMacs } from '../port.js'
import { keyIdOf } from './record-mac.js'
import type { RecordKeys } from './record-keys.js'

/** Differs from that of records: no MAC of a text is that of a record. */
const DOMAIN = 'cupel text mac v1'

export const textMacsOf = ({ activeId, byId }: RecordKeys): TextMacs => ({
  macOf: (purpose, text) => macText(activeId, byId.get(activeId)!, { purpose, text }),
  isMac(mac, purpose, text) {
    const keyId = keyIdOf(mac)
    const key = byId.get(keyId)
    if (key === undefined) return false
    const [given, expected] = [Buffer.from(mac), Buffer.from(macText(keyId, key, { purpose, text }))]
    return given.length === expected.length && timingSafeEqual(given, expected)
  },
})

/** The purpose after its length in UTF-16 code units, so that no other purpose and text have the same description. */
const macText = (
  keyId: string,
  key: KeyObject,
  { purpose, text }: { readonly purpose: string; readonly text: string },
): string =>
  `${keyId}.${createHmac('sha256', key).update(`${DOMAIN} ${purpose.length}:${purpose}${text}`).digest('base64url')}`
