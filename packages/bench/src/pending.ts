/** Requests to an echo that wait for the record with their key. */
import { randomBytes } from 'node:crypto'

const ANSWER_TIMEOUT_MS = 10_000

export interface Pending {
  /** Resolves when the key that `send` receives is answered. */
  ask(index: number, send: (key: string) => void): Promise<void>
  answered(key: string): void
  /** Rejects everything that waits. */
  failed(error: unknown): void
}

export function openPending(late: string, answerTimeoutMs = ANSWER_TIMEOUT_MS): Pending {
  const run = randomBytes(4).toString('hex')
  const waiting = new Map<string, (error?: unknown) => void>()
  return {
    ask: (index, send) =>
      new Promise((resolve, reject) => {
        const key = `${run}-${index}`
        const timer = setTimeout(() => settle(new Error(late)), answerTimeoutMs)
        const settle = (error?: unknown): void => {
          clearTimeout(timer)
          waiting.delete(key)
          if (error === undefined) resolve()
          else reject(error instanceof Error ? error : new Error(String(error)))
        }
        waiting.set(key, settle)
        send(key)
      }),
    answered: (key) => waiting.get(key)?.(),
    failed: (error) => {
      for (const settle of [...waiting.values()]) settle(error)
    },
  }
}
