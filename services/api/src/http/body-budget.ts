/**
 * Counts the bytes of bodies that have begun and not ended. They stay in memory while the client sends, so an instance and each of
 * its clients have a budget for them. Nothing is spent before the key of a call is known to be usable.
 */
import type { Metrics } from '@cupel/contracts'
import { clientNetwork } from '@cupel/http-edge'

export interface BodyBudgetLimits {
  /** Bytes of unfinished bodies that an instance holds. */
  readonly maxBytes: number
  /** Bytes of them from one client: an IPv4 address, or the /64 of an IPv6 address. */
  readonly maxBytesPerClient: number
}

/** 16 whole bodies of one client, and three such clients. */
export const bodyBudgetLimits: BodyBudgetLimits = {
  maxBytes: 50_331_648,
  maxBytesPerClient: 16_777_216,
}

export interface BodyBudget {
  /** The account of one body. */
  open(clientAddress: string): BodyAccount
}

export interface BodyAccount {
  /** Returns false if the budget has no room for these bytes; the caller must not keep them. */
  take(bytes: number): boolean
  /** Gives back the taken bytes. Call it once the body has ended, however it ended. */
  close(): void
}

export function createBodyBudget(metrics: Metrics, limits: BodyBudgetLimits = bodyBudgetLimits): BodyBudget {
  const held = metrics.gauge('http_body_bytes', 'Bytes held of bodies that have not ended.')
  const refused = metrics.counter('http_bodies_refused_total', 'Bodies beyond the budget.', ['limit'])
  const clients = new Map<string, number>()
  let total = 0
  return {
    open(clientAddress) {
      const client = clientNetwork(clientAddress)
      let taken = 0
      return {
        take(bytes) {
          const ofClient = (clients.get(client) ?? 0) + bytes
          if (ofClient > limits.maxBytesPerClient) return refuseFor('client')
          if (total + bytes > limits.maxBytes) return refuseFor('instance')
          clients.set(client, ofClient)
          taken += bytes
          held.set((total += bytes))
          return true
        },
        close() {
          const left = (clients.get(client) ?? 0) - taken
          if (left === 0) clients.delete(client)
          else clients.set(client, left)
          held.set((total -= taken))
          taken = 0
        },
      }
    },
  }

  function refuseFor(limit: 'client' | 'instance'): false {
    refused.inc({ limit })
    return false
  }
}
