/**
 * Checks whether the key store answers. Readiness must not wait for calls: a proxy sends none to an instance that is not ready, so
 * one failed call would keep the instance out for ever.
 */
import type { AdmissionGate } from '../access/index.js'
import { startLoop, withinMs } from '@cupel/kit/concurrency'

const LOOK_INTERVAL_MS = 2_000
/** A check that hangs has no result, and must not delay a shutdown. */
const LOOK_LIMIT_MS = 5_000

export function startKeyStoreWatch(gate: Pick<AdmissionGate, 'look'>): { stop(): Promise<void> } {
  return startLoop({
    step: async () => void (await withinMs(LOOK_LIMIT_MS, gate.look())),
    restMs: LOOK_INTERVAL_MS,
    firstAfterMs: LOOK_INTERVAL_MS,
    onError: () => undefined,
  })
}
