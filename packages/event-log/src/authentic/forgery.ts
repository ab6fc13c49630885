/** Distinguishes the records of this installation from those of other producers. */
import { GENESIS_TOPIC } from '../genesis.js'
import type { Forgery, Headers, LogRecord, Position } from '../port.js'
import type { RecordKeys } from './record-keys.js'
import { isMacText, keyIdOf, MAC_HEADER } from './record-mac.js'

/** Null if the record is one of this installation. */
export type ForgeryCheck = (record: LogRecord) => Forgery | null

/** The genesis record names the log, and a process may write it before it has keys. */
export const hasMacs = (topic: string): boolean => topic !== GENESIS_TOPIC

export interface ForgeryCheckOptions {
  /** Without keys no MAC can be checked. */
  readonly keys: RecordKeys | null
  readonly isDue: (position: Position) => boolean
  /** Whether this process made the record, so that its MAC need not be computed again. */
  readonly isOwn: (record: LogRecord, headers: Headers) => boolean
}

export function createForgeryCheck({ keys, isDue, isOwn }: ForgeryCheckOptions): ForgeryCheck {
  return (record) => {
    if (keys === null || !hasMacs(record.topic)) return null
    const { headers } = record
    const text = headers[MAC_HEADER]
    if (text === undefined) return isDue(record) ? 'no-mac' : null
    if (isOwn(record, headers)) return null
    const keyId = keyIdOf(text)
    const key = keys.byId.get(keyId)
    if (key === undefined) return 'unknown-key'
    return isMacText(text, keyId, key, record) ? null : 'wrong-mac'
  }
}
