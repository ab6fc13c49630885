/** A plain HTTP client for tests: it sends any method and any bytes, and returns every header. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Parses the body as JSON; for callers that know that it is JSON. */
  json(): Record<string, unknown>
}

export interface CallOptions {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | object
  /** Leaves out the Host header, which every request must carry. */
  readonly withoutHost?: boolean
}

export function call(
  baseUrl: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> {
  const body =
    options.body === undefined || typeof options.body === 'string' || Buffer.isBuffer(options.body)
      ? options.body
      : JSON.stringify(options.body)
  const headers: Record<string, string> = {
    ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl)
    const setHost = options.withoutHost !== true
    const outgoing = httpRequest(
      { hostname, port, path, method, headers, setHost, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: () => JSON.parse(text) as Record<string, unknown>,
          })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

export function screen(baseUrl: string, key: string, body: object = { address: ADDRESS }): Promise<Reply> {
  return call(baseUrl, 'POST', '/v1/screen', { key, body })
}

/** An address from the Ethereum Foundation's public documentation. */
export const ADDRESS = '0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe'
