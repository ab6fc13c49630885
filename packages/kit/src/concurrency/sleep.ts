import { setTimeout as wait } from 'node:timers/promises'

/** Resolves after `durationMs`, or as soon as the signal is aborted. Never rejects. */
export async function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  await wait(durationMs, undefined, { signal }).catch(() => undefined)
}
