/** Distinguishes the records of this installation from those of other producers. */
import { GENESIS_TOPIC } from '../genesis.js'
import type { Forgery, Headers, LogRecord } from '../port.js'
import type { RecordKeys } from './record-keys.js'
import { isMacText, keyIdOf, MAC_HEADER } from './record-mac.js'

/** Null if the record is one of this installation. */
export type ForgeryCheck = (record: LogRecord) => Forgery | null

/** The genesis record names the log, and a process may write it before it has keys. */
export const hasMacs = (topic: string): boolean => topic !== GENESIS_TOPIC

export interface ForgeryCheckOptions {
  /** Null for an auditor, who sees only whether there is a MAC. */
  readonly keys: RecordKeys | null
  /** Whether this process made the record, so that its MAC need not be computed again. */
  readonly isOwn: (record: LogRecord, headers: Headers) => boolean
}

export function createForgeryCheck({ keys, isOwn }: ForgeryCheckOptions): ForgeryCheck {
  return (record) => {
    if (!hasMacs(record.topic)) return null
    const { headers } = record
    const text = headers[MAC_HEADER]
    if (text === undefined) return 'no-mac'
    if (keys === null || isOwn(record, headers)) return null
    const keyId = keyIdOf(text)
    const key = keys.byId.get(keyId)
    if (key === undefined) return 'unknown-key'
    return isMacText(text, keyId, key, record) ? null : 'wrong-mac'
  }
}
