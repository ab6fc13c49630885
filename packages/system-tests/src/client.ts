/** An HTTP client of the REST API. It returns every answer as text, so that a test can compare it later. */
import { Agent, request } from 'undici'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface Client {
  screen(address: string, chain?: string): Promise<Answer>
  report(id: string): Promise<Answer>
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS',
    path: string,
    body?: string,
    headers?: Record<string, string>,
  ): Promise<Answer>
  close(): Promise<void>
}

/** Only a hang takes longer, even on a busy machine. */
const TIMEOUT_MS = 60_000

/** Uses the `baseUrls` in turn, as a load balancer does. */
export function createClient(baseUrls: readonly string[], key: string): Client {
  const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connections: 64 })
  let turn = 0
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const base = baseUrls[turn++ % baseUrls.length]!
    const response = await request(`${base}${path}`, {
      method,
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() }
  }
  return {
    send,
    screen: (address, chain) =>
      send('POST', '/v1/screen', JSON.stringify(chain === undefined ? { address } : { address, chain })),
    report: (id) => send('GET', `/v1/reports/${id}`),
    close: () => agent.destroy(),
  }
}
