/** The API as one person sees it: every call carries that person's session and the address of the browser. */
import type { ApiCall, ApiConnection, ApiReply } from './api-connection.js'
import { ApiDown, ApiProblem } from './api-problem.js'

export type Query = Readonly<Record<string, string | number | undefined | null>>

export interface ApiClient {
  /** JSON of a 2xx answer. Rejects with ApiProblem, and with ApiDown where the API does not answer. */
  get<T>(path: string, query?: Query): Promise<T>
  /** Like `get`, with the headers of the answer; their names are in lower case. */
  read<T>(path: string): Promise<{ readonly body: T; readonly headers: ApiReply['headers'] }>
  /** Like `get`; null where the answer has no body. */
  send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, headers?: Headers): Promise<T>
  /** The unchanged answer, to be passed on: a PDF, a CSV, a stream of events. Rejects like `get`. Read or destroy its body. */
  open(path: string, options?: OpenOptions): Promise<ApiReply>
}

type Headers = Readonly<Record<string, string>>
type OpenOptions = Pick<ApiCall, 'headers' | 'signal' | 'isEndless'>

/** A larger JSON answer does not belong to a page. */
const MAX_JSON_BYTES = 32 * 1_048_576

export function createApiClient(
  connection: ApiConnection,
  { accountId, ...person }: Pick<ApiCall, 'credentials' | 'clientAddress'> & { readonly accountId: string },
): ApiClient {
  const call = async (one: Omit<ApiCall, 'credentials' | 'clientAddress'>): Promise<ApiReply> => {
    const reply = await connection.call({ ...one, ...person })
    if (reply.status < 400) return reply
    throw new ApiProblem(reply.status, documentOf(await textOf(reply)), reply.headers['retry-after'])
  }
  return {
    async get<T>(path: string, query: Query = {}) {
      return jsonOf(await call({ method: 'GET', path: path + queryText(query) })) as Promise<T>
    },
    async read<T>(path: string) {
      const reply = await call({ method: 'GET', path })
      return { body: (await jsonOf(reply)) as T, headers: reply.headers }
    },
    async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown, headers: Headers = {}) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      return jsonOf(await call({ method, path, headers, ...sent })) as Promise<T>
    },
    open: (path, options = {}) => call({ method: 'GET', path, ...options, passedOnTo: accountId }),
  }
}

/** `?a=1&b=2`, without empty values; empty where nothing is left. */
export function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

async function jsonOf(reply: ApiReply): Promise<unknown> {
  const text = await textOf(reply)
  return text === '' ? null : (JSON.parse(text) as unknown)
}

async function textOf({ body }: ApiReply): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_JSON_BYTES) throw new Error('The answer is too large')
      chunks.push(chunk)
    }
  } catch (error) {
    throw new ApiDown('The API broke off its answer', { cause: error })
  }
  return Buffer.concat(chunks).toString('utf8')
}

function documentOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    // A proxy in between may answer with a page of its own.
    return {}
  }
}
