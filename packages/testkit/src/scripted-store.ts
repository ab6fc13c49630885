/** A store in memory with the S3 interface that can also fail as stores do. It checks no signatures. */
import { once } from 'node:events'
import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

const BUCKET = 'archives'

interface Asked {
  readonly method: string
  /** Path with the bucket, without query. */
  readonly path: string
  readonly body: Buffer
  /** Number of this call among all calls of this method and path, from 1. */
  readonly attempt: number
}

/** The fault that replaces the answer, or follows the finished work if `isDone`. */
export type StoreFault =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  | { readonly kind: 'silence' | 'reset' | 'cut' | 'unconditional' }
  /** The work is done, and the answer is lost. */
  | { readonly kind: 'lost' }

export interface ScriptedStore {
  readonly objects: Map<string, Buffer>
  /** Every received call, as `METHOD path`. */
  readonly calls: string[]
  fault: (asked: Asked) => StoreFault | null
  /** The page size of a list. */
  pageSize: number
  /** The answer that replaces an honest list. */
  listAnswer: string | null
  /** Its one bucket. */
  readonly bucket: string
  readonly endpoint: string
  /** What a client needs, with short times. */
  readonly connection: {
    readonly endpoint: string
    readonly region: string
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
    readonly times: typeof times
  }
  close(): Promise<void>
}

const times = { connectMs: 2_000, idleMs: 300, attemptMs: 2_000, pauseMs: 1, maxPauseMs: 2 }

export async function openScriptedStore(tls?: {
  readonly key: string
  readonly cert: string
}): Promise<ScriptedStore> {
  const objects = new Map<string, Buffer>()
  const counts = new Map<string, number>()
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(store, counts, { request, response }).catch(() => request.socket.destroy())
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoint = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  const store: ScriptedStore = {
    ...{ objects, calls: [], fault: () => null, pageSize: 1_000, listAnswer: null },
    ...{ bucket: BUCKET, endpoint },
    connection: {
      ...{ endpoint, region: 'us-east-1', times },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return store
}

async function answer(
  store: ScriptedStore,
  counts: Map<string, number>,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { pathname: path, searchParams } = new URL(request.url!, 'http://store')
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const body = Buffer.concat(pieces)
  const call = `${request.method} ${path}`
  store.calls.push(call)
  counts.set(call, (counts.get(call) ?? 0) + 1)
  const fault = store.fault({ method: request.method!, path, body, attempt: counts.get(call)! })
  if (fault?.kind === 'silence') return
  if (fault?.kind === 'reset') return void request.socket.destroy()
  if (fault?.kind === 'status') {
    response.statusCode = fault.status
    return void response.end(fault.body ?? '')
  }
  const isUnconditional = fault?.kind === 'unconditional'
  const condition: Condition = {
    isNew: !isUnconditional && request.headers['if-none-match'] === '*',
    etag: isUnconditional ? undefined : request.headers['if-match'],
  }
  const done =
    path === `/${BUCKET}` ? list(store, searchParams) : work(store, { call, path, body, condition })
  if (fault?.kind === 'lost') return void request.socket.destroy()
  response.statusCode = done.status
  if (done.status === 200) response.setHeader('etag', etagOf(done.body))
  if (fault?.kind !== 'cut') return void response.end(done.body)
  response.setHeader('content-length', done.body.length)
  response.write(done.body.subarray(0, done.body.length / 2), () => request.socket.destroy())
}

interface Done {
  readonly status: number
  readonly body: Buffer
}

interface Condition {
  readonly isNew: boolean
  readonly etag: string | undefined
}

const etagOf = (bytes: Buffer): string => `"${hash('md5', bytes)}"`

function work(
  { objects }: ScriptedStore,
  {
    call,
    path,
    body,
    condition,
  }: { readonly call: string; readonly path: string; readonly body: Buffer; readonly condition: Condition },
): Done {
  const key = path.slice(BUCKET.length + 2)
  const found = objects.get(key)
  if (call.startsWith('PUT')) {
    if (condition.isNew && found !== undefined) return { status: 412, body: errorOf('PreconditionFailed') }
    if (condition.etag !== undefined) {
      if (found === undefined) return { status: 404, body: errorOf('NoSuchKey') }
      if (etagOf(found) !== condition.etag) return { status: 412, body: errorOf('PreconditionFailed') }
    }
    objects.set(key, body)
    return { status: 200, body: Buffer.alloc(0) }
  }
  if (call.startsWith('DELETE')) {
    objects.delete(key)
    return { status: 204, body: Buffer.alloc(0) }
  }
  return found === undefined ? { status: 404, body: errorOf('NoSuchKey') } : { status: 200, body: found }
}

function list({ objects, pageSize, listAnswer }: ScriptedStore, query: URLSearchParams): Done {
  if (listAnswer !== null) return { status: 200, body: Buffer.from(listAnswer) }
  const after = query.get('continuation-token') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
  const page = keys.filter((key) => key > after).slice(0, pageSize)
  const last = page.at(-1)
  const isLast = last === undefined || last === keys.at(-1)
  const next = isLast ? '' : `<NextContinuationToken>${last}</NextContinuationToken>`
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')
  return {
    status: 200,
    body: Buffer.from(
      `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${!isLast}</IsTruncated>${contents}${next}</ListBucketResult>`,
    ),
  }
}

export const errorOf = (code: string): Buffer =>
  Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>It says so.</Message></Error>`)
