/** The HTTP side of the load generator: one POST /v1/screen per request over kept-alive connections. */
import type { ScreenBody } from './addresses.js'
import { openKeepAlivePool, postRequest } from './keep-alive-pool.js'
import type { Send } from './load.js'

export interface HttpTarget {
  readonly kind: 'http'
  readonly baseUrls: readonly string[]
  readonly key: string
  readonly bodies: readonly ScreenBody[]
  readonly connections: number
}

/** One answer in this many is parsed and checked. Parsing all of them would measure the generator. */
const CHECKED_EVERY = 16
const REQUEST_TIMEOUT_MS = 30_000

export function httpClient(target: HttpTarget): { send: Send; close: () => Promise<void> } {
  const connections = Math.max(1, Math.ceil(target.connections / target.baseUrls.length))
  const instances = target.baseUrls.map((url) => ({
    pool: openKeepAlivePool({ url, connections, timeoutMs: REQUEST_TIMEOUT_MS }),
    requests: target.bodies.map((body) =>
      postRequest(url, '/v1/screen', { authorization: `Bearer ${target.key}` }, JSON.stringify(body)),
    ),
  }))
  return {
    async send(index) {
      const at = index % target.bodies.length
      const { pool, requests } = instances[index % instances.length]!
      const { status, body } = await pool.exchange(requests[at]!)
      if (status !== 200) throw new Error(`${status} ${body.toString().slice(0, 200)}`)
      if (index % CHECKED_EVERY === 0) checkReport(body.toString(), target.bodies[at]!)
    },
    close() {
      for (const { pool } of instances) pool.close()
      return Promise.resolve()
    },
  }
}

function checkReport(text: string, asked: ScreenBody): void {
  const report = JSON.parse(text) as {
    report_id?: unknown
    address?: unknown
    chain?: unknown
    risk?: { level?: unknown }
  }
  const isReport =
    typeof report.report_id === 'string' &&
    report.address === asked.address &&
    report.chain === asked.chain &&
    typeof report.risk?.level === 'string'
  if (!isReport) throw new Error(`not the report of ${asked.address}: ${text.slice(0, 200)}`)
}
