/** Intruders that must not disturb a customer: strangers without a key, and another customer at the full rate of its plan. */
import { Agent, request, type RequestOptions } from 'node:http'

/** `stop` resolves when no call is open any more, and returns the answers by status; 0 counts calls without an answer. */
export interface Intrusion {
  stop(): Promise<ReadonlyMap<number, number>>
}

export interface Get {
  readonly path: string
  readonly accept: string
}

/** Connections and failures are limited by client, and intruders are not the customer. */
const STRANGERS_ADDRESS = '127.0.0.2'
const GREEDY_ADDRESS = '127.0.0.3'
/** Calls that are not answered within this time after the last one are abandoned. */
const LAST_ANSWER_MS = 10_000
const STRANGER_BODY = Buffer.alloc(1_048_576, ' ')

/** Each stranger sends a whole body without a key, reads the answer, and begins again, on the same connection if it may. */
export function beginStrangers(baseUrl: string, strangers: number): Intrusion {
  const seen = new Map<number, number>()
  const agent = new Agent({ keepAlive: true, maxSockets: strangers })
  const headers = { 'content-type': 'application/json', 'content-length': STRANGER_BODY.length }
  const options = { agent, headers, method: 'POST', localAddress: STRANGERS_ADDRESS }
  let isStopping = false
  const stranger = async (): Promise<void> => {
    while (!isStopping) count(seen, await statusOf(`${baseUrl}/v1/screen`, options, STRANGER_BODY))
  }
  const all = Array.from({ length: strangers }, stranger)
  return {
    async stop() {
      isStopping = true
      agent.destroy()
      await Promise.all(all)
      return seen
    },
  }
}

export const beginGets = (baseUrl: string, key: string, get: Get, perSecond: number): Intrusion =>
  beginCalls(() => getOnce(baseUrl, key, get), perSecond)

/** Calls at the given rate, whether or not the earlier calls were answered. `callOnce` resolves to the status. */
export function beginCalls(callOnce: () => Promise<number>, perSecond: number): Intrusion {
  const seen = new Map<number, number>()
  const open = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const call: Promise<void> = callOnce().then((status) => {
      count(seen, status)
      open.delete(call)
    })
    open.add(call)
  }, 1_000 / perSecond)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      return seen
    },
  }
}

function count(seen: Map<number, number>, status: number): void {
  seen.set(status, (seen.get(status) ?? 0) + 1)
}

export const getOnce = (baseUrl: string, key: string, { path, accept }: Get): Promise<number> =>
  statusOf(baseUrl + path, {
    headers: { authorization: `Bearer ${key}`, accept },
    localAddress: GREEDY_ADDRESS,
  })

/** The status of the answer, once it was read to its end; 0 without an answer. */
function statusOf(url: string, options: RequestOptions, body?: Buffer): Promise<number> {
  return new Promise((resolve) => {
    let status = 0
    const call = request(url, { ...options, timeout: LAST_ANSWER_MS }, (response) => {
      status = response.statusCode ?? 0
      response.on('error', () => undefined).resume()
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => undefined)
    call.on('close', () => resolve(status))
    call.end(body)
  })
}
