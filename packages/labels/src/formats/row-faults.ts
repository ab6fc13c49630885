/** Faults that every format rejects in a row. */
import type { LabelRow } from './label-source.js'
import { shown } from './message.js'

/** Clocks and time zones differ; no observation can be later than this after now. */
const FUTURE_TOLERANCE_MS = 24 * 60 * 60 * 1_000

/**
 * Control characters, line and paragraph separators, marks that change the direction of writing, and halves of surrogate pairs. They make
 * one name look like another, or one line of a report like two.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Why a row cannot be a label with any address, or null. */
export function faultOfRow(row: LabelRow, now: Date): string | null {
  for (const [field, text] of [
    ['source', row.source ?? ''],
    ['entity', row.entity],
    ['source_url', row.sourceUrl],
  ] as const) {
    const hidden = hiddenCharacterIn(text)
    if (hidden !== null) return `${field} holds the control or direction character ${hidden}`
  }
  const { observedAt } = row
  if (observedAt !== null && Date.parse(observedAt) > now.getTime() + FUTURE_TOLERANCE_MS) {
    return `observed_at lies in the future: ${shown(observedAt.slice(0, 'YYYY-MM-DD'.length))}`
  }
  return null
}

/** The first such character as `U+202E`, or null. */
export function hiddenCharacterIn(text: string): string | null {
  const found = HIDDEN.exec(text)
  if (found === null) return null
  return `U+${found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
