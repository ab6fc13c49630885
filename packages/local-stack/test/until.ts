import { setTimeout as sleep } from 'node:timers/promises'

const TIMEOUT_MS = 120_000

/** Resolves to the first value that is neither false nor null nor undefined. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<NonNullable<Exclude<T, false>>> {
  const giveUpAt = Date.now() + TIMEOUT_MS
  for (;;) {
    const value = await look()
    if (value !== false && value !== null && value !== undefined)
      return value as NonNullable<Exclude<T, false>>
    if (Date.now() > giveUpAt) throw new Error(`waited ${TIMEOUT_MS} ms in vain for ${what}`)
    await sleep(10)
  }
}
