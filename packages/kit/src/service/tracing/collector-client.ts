/** Calls only the collector of the settings: no proxy, no redirect. */
import { readFileSync } from 'node:fs'
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { rejectedItems } from './otlp-json.js'

export type SendResult =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** A retry may succeed. */
  | { readonly kind: 'busy'; readonly because: string }
  | { readonly kind: 'refused'; readonly because: string }

export interface CollectorClient {
  /** Never rejects. */
  send(body: string): Promise<SendResult>
  close(): void
}

export interface CollectorClientOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** File with certificate authorities in PEM, which replace those of the system. */
  readonly caFile?: string | undefined
}

/** Maximum number of bytes read from an answer. */
export const MAX_COLLECTOR_ANSWER_BYTES = 65_536
/** The protocol allows a retry for these. */
const BUSY = [429, 502, 503, 504]

/** Throws if the file of certificate authorities cannot be read. */
export function createCollectorClient(options: CollectorClientOptions): CollectorClient {
  const isSecure = new URL(options.url).protocol === 'https:'
  const limits = { keepAlive: true, maxSockets: 1 }
  const agent = isSecure
    ? new HttpsAgent({
        ...limits,
        ...(options.caFile === undefined ? {} : { ca: readFileSync(options.caFile) }),
      })
    : new HttpAgent(limits)
  const begin = isSecure ? httpsRequest : httpRequest
  return {
    send: (body) =>
      new Promise((resolve) => {
        const request = begin(options.url, {
          method: 'POST',
          agent,
          signal: AbortSignal.timeout(options.timeoutMs),
          headers: {
            ...options.headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        })
        settle(request, resolve)
        request.end(body)
      }),
    close: () => agent.destroy(),
  }
}

function settle(request: ClientRequest, resolve: (result: SendResult) => void): void {
  // Only the code: the message may contain the content of a header.
  const failed = (error: NodeJS.ErrnoException): void =>
    resolve({ kind: 'busy', because: error.code ?? error.name })
  request.on('error', failed)
  request.on('response', (response) => {
    response.on('error', failed)
    void readAnswer(response).then((text) => resolve(resultOf(response.statusCode ?? 0, text)), failed)
  })
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_COLLECTOR_ANSWER_BYTES) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function resultOf(status: number, text: string): SendResult {
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedItems(text) }
  const because = `the collector answered ${status}`
  return BUSY.includes(status) ? { kind: 'busy', because } : { kind: 'refused', because }
}
