/** Intruders that must not disturb a customer: strangers without a key, and another customer at the full rate of its plan. */
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'

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
  const { hostname, port, host } = new URL(baseUrl)
  const head = `POST /v1/screen HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${STRANGER_BODY.length}\r\n\r\n`
  const seen = new Map<number, number>()
  const sockets = new Set<Socket>()
  let isStopping = false
  const stranger = (): void => {
    const place = { host: hostname, port: Number(port), localAddress: STRANGERS_ADDRESS }
    const socket = connect({ ...place, noDelay: true })
    sockets.add(socket)
    let [isSent, isAnswered] = [false, false]
    const send = (): void => {
      ;[isSent, isAnswered] = [false, false]
      socket.write(head)
      socket.write(STRANGER_BODY, () => {
        isSent = true
        if (isAnswered) send()
      })
    }
    socket.on('data', (chunk) => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 16))?.[1]
      if (status === undefined) return
      count(seen, Number(status))
      isAnswered = true
      if (isSent) send()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (!isAnswered) count(seen, 0)
      sockets.delete(socket)
      if (!isStopping) setImmediate(stranger)
    })
    send()
  }
  for (let each = 0; each < strangers; each += 1) stranger()
  return {
    stop() {
      isStopping = true
      for (const socket of sockets) socket.destroy()
      return Promise.resolve(seen)
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

/** The status of the answer, once it was read to its end. */
export function getOnce(baseUrl: string, key: string, { path, accept }: Get): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, accept }
    const options = { headers, localAddress: GREEDY_ADDRESS, timeout: LAST_ANSWER_MS }
    const call = request(baseUrl + path, options, (response) => {
      response.resume()
      response.on('error', () => resolve(0))
      response.on('close', () => resolve(response.statusCode ?? 0))
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(0))
    call.end()
  })
}
