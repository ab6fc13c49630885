/** Seals with the record keys, for what a process keeps outside of the log and a later one is to believe. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { Seals } from '../port.js'
import { keyIdOf } from './record-mac.js'
import type { RecordKeys } from './record-keys.js'

/** Differs from that of records: no seal is the MAC of a record. */
const DOMAIN = 'cupel seal v1'

export const sealsOf = ({ activeId, byId }: RecordKeys): Seals => ({
  seal: (purpose, text) => sealText(activeId, byId.get(activeId)!, { purpose, text }),
  isSealed(seal, purpose, text) {
    const keyId = keyIdOf(seal)
    const key = byId.get(keyId)
    if (key === undefined) return false
    const [given, expected] = [Buffer.from(seal), Buffer.from(sealText(keyId, key, { purpose, text }))]
    return given.length === expected.length && timingSafeEqual(given, expected)
  },
})

/** The purpose after its length in UTF-16 code units, so that no other purpose and text have the same description. */
const sealText = (
  keyId: string,
  key: KeyObject,
  { purpose, text }: { readonly purpose: string; readonly text: string },
): string =>
  `${keyId}.${createHmac('sha256', key).update(`${DOMAIN} ${purpose.length}:${purpose}${text}`).digest('base64url')}`
