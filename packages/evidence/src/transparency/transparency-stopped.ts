import { placeOf, type Place } from '@cupel/event-log'

/** The transparency log cannot go on without contradicting what it signed. The message says what to do. */
export class TransparencyStoppedError extends Error {
  override readonly name = 'TransparencyStoppedError'
}

export function shorterLog(place: Place, end: number, next: number): TransparencyStoppedError {
  return new TransparencyStoppedError(
    `${placeOf(place)} ends at offset ${end}, and its records up to ${next} were signed: the log was cut, or an older one was restored. Compare them (cupel audit verify) and restore the log, or accept the loss: cupel log accept-shorter --reason "…"`,
  )
}

export function otherRecord(place: Place, offset: number): TransparencyStoppedError {
  return new TransparencyStoppedError(
    `The record ${offset} of ${placeOf(place)} is not the one that was signed: the log was changed, or an older one was restored and went on. Compare them (cupel audit verify), then restore the log, or accept the loss: cupel log accept-shorter --reason "…"`,
  )
}

/** A file of a tree, which never changes. `place`: the store. */
export function otherBytes(place: string, path: string): TransparencyStoppedError {
  return new TransparencyStoppedError(
    `${place}/${path} has other bytes than those of the database: an older database went on, two installations write there, or the file was changed. No second history is published. Compare them: cupel audit verify`,
  )
}
