/** The Idempotency-Key of a form that makes something. */
import { createHash, randomUUID } from 'node:crypto'

/** A form that is sent twice within this time is one attempt; later the person wants a new one. */
const ATTEMPT_MS = 60_000

/** The same key for a form that is sent twice by mistake; another key for other content, and after a while. */
export function attemptKey(attempt: string, body: object): string {
  const [, madeAt] = /^(\d{13})-[\w-]{36}$/.exec(attempt) ?? []
  const ageMs = madeAt === undefined ? Infinity : Date.now() - Number(madeAt)
  if (ageMs < 0 || ageMs > ATTEMPT_MS) return `console-${randomUUID()}`
  return `console-${createHash('sha256')
    .update(JSON.stringify([attempt, body]))
    .digest('hex')}`
}
