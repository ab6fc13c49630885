/**
 * The connections of a producer to the leaders. A broker answers the requests of a connection in their order, and waits up to three seconds
 * for replicas that are behind. Partitions with such replicas are sent over a connection of their own, so that they delay no other.
 */
import { sendTo, type Connection } from './connection.js'
import type { WireRequest } from './kafkajs.js'

export interface Lane {
  readonly leader: number
  /** Pending requests. */
  requests: number
  /** The broker reads nothing from the connection before that time; milliseconds since 1970. */
  readonly throttledUntil: number
  mayTake(now: number): boolean
  /** `onSent` is called when there is a connection for the request. */
  send<T>(request: WireRequest<T>, onSent: () => void): Promise<T>
  /** Notes the throttle time of an answer, and calls `onEnd` when it is over. */
  throttle(ms: number, onEnd: () => void): void
}

export interface Lanes {
  of(leader: number, isSuspect: boolean): Lane
  /** An error that says that a broker throttles; null if none does. */
  throttleTrouble(): Error | null
  close(): Promise<void>
}

/** Pending requests to one leader; more of them would be smaller ones. */
const REQUESTS_IN_FLIGHT = 3
/** After a broker throttled, requests are sent one by one for this long: one behind another would wait for the time of both. */
const CAREFUL_MS = 10_000

export function createLanes(main: Connection, side: Connection): Lanes {
  const lanes = { main: new Map<number, LeaderLane>(), side: new Map<number, LeaderLane>() }
  return {
    of(leader, isSuspect) {
      const own = isSuspect ? lanes.side : lanes.main
      let lane = own.get(leader)
      if (lane === undefined) own.set(leader, (lane = new LeaderLane(isSuspect ? side : main, leader)))
      return lane
    },
    throttleTrouble() {
      const all = [...lanes.main.values(), ...lanes.side.values()]
      const waitMs = Math.max(...all.map((lane) => lane.throttledUntil)) - Date.now()
      return waitMs > 0 ? new Error(`it throttles this client for another ${waitMs} ms`) : null
    },
    async close() {
      await Promise.all([main.close(), side.close()])
    },
  }
}

class LeaderLane implements Lane {
  readonly leader: number
  requests = 0
  throttledUntil = 0
  private readonly connection: Connection

  constructor(connection: Connection, leader: number) {
    this.connection = connection
    this.leader = leader
  }

  mayTake(now: number): boolean {
    if (now < this.throttledUntil) return false
    return this.requests < (now < this.throttledUntil + CAREFUL_MS ? 1 : REQUESTS_IN_FLIGHT)
  }

  async send<T>(request: WireRequest<T>, onSent: () => void): Promise<T> {
    const cluster = await this.connection.cluster()
    return await sendTo(this.connection, { cluster, nodeId: this.leader }, () => {
      onSent()
      return request
    })
  }

  throttle(ms: number, onEnd: () => void): void {
    if (ms <= 0) return
    this.throttledUntil = Math.max(this.throttledUntil, Date.now() + ms)
    setTimeout(onEnd, ms)
  }
}
