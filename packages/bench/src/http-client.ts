/** The HTTP side of the load generator: one POST /v1/screen per request over kept-alive connections. */
import { Agent, request } from 'node:http'
import type { ScreenBody } from './addresses.js'
import type { Client } from './load.js'

export interface HttpTarget {
  readonly baseUrls: readonly string[]
  readonly key: string
  readonly bodies: readonly ScreenBody[]
  readonly connections: number
  /** Every answer is parsed, and counted as `late` and `truncated` if its exposure is. */
  readonly countsExposure?: boolean
}

/** One answer in this many is parsed and checked. Parsing all of them would measure the generator. */
const CHECKED_EVERY = 16
const REQUEST_TIMEOUT_MS = 30_000

export function httpClient({ baseUrls, key, bodies, connections, countsExposure }: HttpTarget): Client {
  const maxSockets = Math.max(1, Math.ceil(connections / baseUrls.length))
  const agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets })
  const texts = bodies.map((body) => Buffer.from(JSON.stringify(body)))
  return async (index) => {
    const at = index % bodies.length
    const url = `${baseUrls[index % baseUrls.length]!}/v1/screen`
    const { status, text } = await post(agent, url, key, texts[at]!)
    if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`)
    if (index % CHECKED_EVERY === 0) checkReport(text, bodies[at]!)
    return countsExposure === true ? wordsOf(text) : []
  }
}

function post(
  agent: Agent,
  url: string,
  key: string,
  body: Buffer,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', agent, headers, timeout: REQUEST_TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      )
    })
    call.on('timeout', () => call.destroy(new Error(`no answer in ${REQUEST_TIMEOUT_MS} ms`)))
    call.on('error', reject)
    call.end(body)
  })
}

function wordsOf(text: string): readonly string[] {
  const { coverage } = JSON.parse(text) as {
    coverage: { missing_stages?: readonly string[]; exposure: { truncated: boolean } }
  }
  const isLate = coverage.missing_stages?.includes('exposure') === true
  return [...(isLate ? ['late'] : []), ...(coverage.exposure.truncated ? ['truncated'] : [])]
}

function checkReport(text: string, asked: ScreenBody): void {
  const report = JSON.parse(text) as { address?: unknown; chain?: unknown; risk?: { level?: unknown } }
  const isReport =
    report.address === asked.address && report.chain === asked.chain && typeof report.risk?.level === 'string'
  if (!isReport) throw new Error(`not the report of ${asked.address}: ${text.slice(0, 200)}`)
}
