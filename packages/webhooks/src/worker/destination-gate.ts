/** Limits the messages to a place over all accounts: a rate that all dispatchers share, and a number of attempts at once from this one. */
import { createBatcher } from '@cupel/kit/concurrency'
import type { Logger } from '@cupel/contracts'
import type { AdmitPlace } from '@cupel/kit/outbound'
import { createTrouble } from '@cupel/projections'

/** Attempts at once to one host and port, and to one address. */
export const MAX_PER_DESTINATION = 128
/** Shortest wait of an attempt beyond this number; the longest wait is twice as long. */
const CROWDED_WAIT_MS = 500
/** How long an attempt waits if its tokens could not be requested. */
const FAULT_WAIT_MS = 1_000
const MAX_BATCH = 512

export interface DestinationGateOptions {
  /** Takes a token of each place of each message; returns how long each has to wait, in milliseconds. */
  readonly take: (messages: readonly (readonly string[])[]) => Promise<readonly number[]>
  readonly logger: Logger
}

/** Without the tokens nothing is sent: a fault of the database makes an attempt wait. */
export function createDestinationGate({ take, logger }: DestinationGateOptions): AdmitPlace {
  const inFlight = new Map<string, number>()
  const trouble = createTrouble()
  const batcher = createBatcher<readonly string[], number>({ run: take, maxBatchItems: MAX_BATCH })

  const add = (places: readonly string[], change: number): void => {
    for (const place of places) {
      const count = (inFlight.get(place) ?? 0) + change
      if (count === 0) inFlight.delete(place)
      else inFlight.set(place, count)
    }
  }

  async function waitOf(places: readonly string[]): Promise<number> {
    try {
      const waitMs = await batcher.add(places)
      trouble.over('taking tokens')
      return waitMs
    } catch (error) {
      if (trouble.failed('taking tokens', error))
        logger.warn({ err: error }, `Webhooks wait for the limits of their hosts: ${String(error)}`)
      return FAULT_WAIT_MS
    }
  }

  return async ({ hostname, port, address }) => {
    const places = [`host ${hostname}:${port}`, `address ${address}`]
    if (places.some((place) => (inFlight.get(place) ?? 0) >= MAX_PER_DESTINATION))
      return { ok: false, waitMs: CROWDED_WAIT_MS * (1 + Math.random()) }
    add(places, 1)
    const waitMs = await waitOf(places)
    if (waitMs === 0) return { ok: true, release: () => add(places, -1) }
    add(places, -1)
    return { ok: false, waitMs }
  }
}
