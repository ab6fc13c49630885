/** The HTTP side of the load generator: one POST /v1/screen per request over kept-alive connections. */
import { Pool } from 'undici'
import type { ScreenBody } from './addresses.js'
import type { Send } from './load.js'

export interface HttpTarget {
  readonly kind: 'http'
  readonly baseUrls: readonly string[]
  readonly key: string
  readonly bodies: readonly ScreenBody[]
  readonly connections: number
}

/** Every so many answers one is read as a report; parsing all of them would measure the generator. */
const CHECKED_EVERY = 16
const REQUEST_TIMEOUT_MS = 30_000

export function httpClient(target: HttpTarget): { send: Send; close: () => Promise<void> } {
  const perUrl = Math.max(1, Math.ceil(target.connections / target.baseUrls.length))
  const pools = target.baseUrls.map(
    (url) =>
      new Pool(url, {
        connections: perUrl,
        pipelining: 1,
        headersTimeout: REQUEST_TIMEOUT_MS,
        bodyTimeout: REQUEST_TIMEOUT_MS,
      }),
  )
  const payloads = target.bodies.map((body) => Buffer.from(JSON.stringify(body)))
  const headers = { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' }
  const send: Send = async (index) => {
    const at = index % payloads.length
    const answer = await pools[index % pools.length]!.request({
      method: 'POST',
      path: '/v1/screen',
      headers,
      body: payloads[at]!,
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${text.slice(0, 200)}`)
    if (index % CHECKED_EVERY === 0) checkReport(text, target.bodies[at]!)
  }
  return {
    send,
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()))
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
