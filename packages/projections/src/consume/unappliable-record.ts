import type { LogRecord, Position } from '@cupel/event-log'

/** A record that cannot be applied. It is a recorded fact nevertheless, so reading stops before it. */
export class UnappliableRecordError extends Error {
  override readonly name = 'UnappliableRecordError'
  readonly position: Position
  constructor({ topic, partition, offset }: Position | LogRecord, cause: unknown) {
    super(`${topic}[${partition}] offset ${offset}: ${messageOf(cause)}`, { cause })
    this.position = { topic, partition, offset }
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
