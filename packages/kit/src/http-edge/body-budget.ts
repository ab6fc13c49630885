/**
 * Counts the bodies that have begun and not ended, and their bytes. They stay in memory while the client sends, so an instance and each of
 * its clients have a budget for them. Bodies of callers who have proven nothing have a small budget of their own, so that they never take
 * the room of customers.
 */
import type { Metrics } from '@cupel/contracts'
import { clientNetwork } from './ip-range.js'

export interface BodyBudgetLimits {
  /** Bytes of unfinished bodies that an instance holds. */
  readonly maxBytes: number
  /** Bytes of them from one client: an IPv4 address, or the /64 of an IPv6 address. */
  readonly maxBytesPerClient: number
  /** Unfinished bodies that an instance holds. */
  readonly maxBodies: number
  readonly maxBodiesPerClient: number
}

/** 16 whole bodies of one client, and three such clients. */
export const bodyBudgetLimits: BodyBudgetLimits = {
  maxBytes: 50_331_648,
  maxBytesPerClient: 16_777_216,
  maxBodies: 8_192,
  maxBodiesPerClient: 1_024,
}

/** The longest body of a caller who has proven nothing: an ID token of 64 KiB and what is sent with it. */
export const MAX_STRANGER_BODY_BYTES = 73_728
const STRANGERS = 32
const STRANGERS_PER_CLIENT = 4

export const strangerBudgetLimits: BodyBudgetLimits = {
  maxBytes: STRANGERS * MAX_STRANGER_BODY_BYTES,
  maxBytesPerClient: STRANGERS_PER_CLIENT * MAX_STRANGER_BODY_BYTES,
  maxBodies: STRANGERS,
  maxBodiesPerClient: STRANGERS_PER_CLIENT,
}

export interface BodyBudget {
  /** The account of one body; null if the budget has no room for a further body. */
  open(clientAddress: string): BodyAccount | null
}

export interface BodyAccount {
  /** Returns false if the budget has no room for these bytes; the caller must not keep them. */
  take(bytes: number): boolean
  /** Gives back the body and its bytes. Call it once the body has ended, however it ended. */
  close(): void
}

interface Held {
  bodies: number
  bytes: number
}

/** `name`: prefix of the metrics. */
export function createBodyBudget(
  metrics: Metrics,
  limits: BodyBudgetLimits = bodyBudgetLimits,
  name = 'http',
): BodyBudget {
  const held = metrics.gauge(`${name}_body_bytes`, 'Bytes held of bodies that have not ended.')
  const refused = metrics.counter(`${name}_bodies_refused_total`, 'Bodies beyond the budget.', ['limit'])
  const clients = new Map<string, Held>()
  const all: Held = { bodies: 0, bytes: 0 }
  const refuseFor = (limit: 'client' | 'instance'): false => {
    refused.inc({ limit })
    return false
  }
  const hasRoom = (ofClient: Held, bodies: number, bytes: number): boolean => {
    if (ofClient.bodies + bodies > limits.maxBodiesPerClient) return refuseFor('client')
    if (ofClient.bytes + bytes > limits.maxBytesPerClient) return refuseFor('client')
    if (all.bodies + bodies > limits.maxBodies) return refuseFor('instance')
    return all.bytes + bytes <= limits.maxBytes || refuseFor('instance')
  }
  const add = (ofClient: Held, bodies: number, bytes: number): void => {
    for (const one of [ofClient, all]) {
      one.bodies += bodies
      one.bytes += bytes
    }
    held.set(all.bytes)
  }
  return {
    open(clientAddress) {
      const client = clientNetwork(clientAddress)
      const ofClient = clients.get(client) ?? { bodies: 0, bytes: 0 }
      if (!hasRoom(ofClient, 1, 0)) return null
      clients.set(client, ofClient)
      add(ofClient, 1, 0)
      let taken = 0
      let isOpen = true
      return {
        take(bytes) {
          if (!isOpen || !hasRoom(ofClient, 0, bytes)) return false
          taken += bytes
          add(ofClient, 0, bytes)
          return true
        },
        close() {
          if (isOpen) add(ofClient, -1, -taken)
          isOpen = false
          if (ofClient.bodies === 0 && clients.get(client) === ofClient) clients.delete(client)
        },
      }
    },
  }
}

/** The budgets of a service: of callers with a key or a session, and of all others. */
export function createBodyBudgets(metrics: Metrics): { bodies: BodyBudget; strangers: BodyBudget } {
  return {
    bodies: createBodyBudget(metrics),
    strangers: createBodyBudget(metrics, strangerBudgetLimits, 'http_stranger'),
  }
}
