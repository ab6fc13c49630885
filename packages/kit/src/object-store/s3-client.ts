/** The calls that archives and published files need: put, put under a condition, get, list and delete. */
import { readListedPage, readStoreError, type ListedPage } from './list-answer.js'
import {
  MAX_XML_BYTES,
  openS3Caller,
  type S3Answer,
  type S3Call,
  type S3Caller,
  type S3Connection,
} from './s3-call.js'
import { StoreRefusedError } from './s3-errors.js'

/** Pages of a list; stores put 1,000 files on each. */
const MAX_LIST_PAGES = 10_000

export interface S3Object {
  readonly bytes: Buffer
  /** Names this content of the key. */
  readonly etag: string
  /** The clock of the store, in milliseconds. */
  readonly serverTime: number
}

export interface S3Client {
  /** False if the key is already taken. */
  putNew(key: string, bytes: Buffer): Promise<boolean>
  /** False if the key has another content than the one that `etag` names, or none. */
  putOver(key: string, bytes: Buffer, etag: string): Promise<boolean>
  put(key: string, bytes: Buffer): Promise<void>
  /** Null if there is no such key. Throws a RangeError beyond `maxBytes`. */
  get(key: string, maxBytes: number): Promise<S3Object | null>
  delete(key: string): Promise<void>
  /** Every key that begins with `prefix`, without order. */
  list(prefix: string): Promise<readonly string[]>
  /** The same client, whose calls the signal ends. */
  until(signal: AbortSignal): S3Client
}

const PRECONDITION_FAILED = 412
const NOT_FOUND = 404

export function openS3Client(bucket: string, connection: S3Connection): S3Client {
  return clientOf(bucket, openS3Caller(bucket, connection))
}

function clientOf(bucket: string, caller: S3Caller): S3Client {
  async function putAs(key: string, body: Buffer, headers: Record<string, string>): Promise<number> {
    const asked: S3Call = { method: 'PUT', key, headers, body, maxBytes: MAX_XML_BYTES }
    const answer = await caller.call(asked)
    if (answer.status < 300 || answer.status === PRECONDITION_FAILED) return answer.status
    if ('if-match' in headers && isMissing(answer)) return NOT_FOUND
    throw caller.refused(asked, answer)
  }

  return {
    putNew: async (key, bytes) => (await putAs(key, bytes, { 'if-none-match': '*' })) !== PRECONDITION_FAILED,
    async putOver(key, bytes, etag) {
      const status = await putAs(key, bytes, { 'if-match': etag })
      return status !== PRECONDITION_FAILED && status !== NOT_FOUND
    },
    async put(key, bytes) {
      await putAs(key, bytes, {})
    },
    async get(key, maxBytes) {
      const asked: S3Call = { method: 'GET', key, maxBytes }
      const answer = await caller.call(asked)
      if (answer.status === 200)
        return { bytes: answer.bytes, etag: answer.etag, serverTime: timeOf(answer.date) }
      // A bucket that does not exist is not an empty archive.
      if (isMissing(answer)) return null
      throw caller.refused(asked, answer)
    },
    async delete(key) {
      const asked: S3Call = { method: 'DELETE', key, maxBytes: MAX_XML_BYTES }
      const answer = await caller.call(asked)
      if (answer.status >= 300 && answer.status !== NOT_FOUND) throw caller.refused(asked, answer)
    },
    list: (prefix) => listAll(bucket, caller, prefix),
    until: (signal) => clientOf(bucket, { ...caller, call: (asked) => caller.call({ ...asked, signal }) }),
  }
}

const isMissing = ({ status, bytes }: S3Answer): boolean =>
  status === NOT_FOUND && readStoreError(bytes.toString())?.code === 'NoSuchKey'

async function listAll(bucket: string, caller: S3Caller, prefix: string): Promise<readonly string[]> {
  const keys = new Set<string>()
  let token: string | null = null
  for (let page = 1; ; page += 1) {
    const found: ListedPage = await listPage(bucket, caller, { prefix, token })
    const foreign = found.keys.find((key) => !key.startsWith(prefix))
    if (foreign !== undefined)
      throw new StoreRefusedError(`The store ${caller.host} lists ${foreign}, which was not asked for.`)
    for (const key of found.keys) keys.add(key)
    if (found.next === null) return [...keys]
    if (found.next === token || page === MAX_LIST_PAGES)
      throw new StoreRefusedError(
        `The store ${caller.host} lists the files of ${bucket}/${prefix} without an end.`,
      )
    token = found.next
  }
}

async function listPage(
  bucket: string,
  caller: S3Caller,
  { prefix, token }: { readonly prefix: string; readonly token: string | null },
): Promise<ListedPage> {
  const query = { 'list-type': '2', prefix, ...(token === null ? {} : { 'continuation-token': token }) }
  const asked: S3Call = { method: 'GET', key: '', query, maxBytes: MAX_XML_BYTES }
  const answer = await caller.call(asked).catch((cause: unknown) => {
    if (!(cause instanceof RangeError)) throw cause
    throw new StoreRefusedError(
      `The list of ${bucket} that the store ${caller.host} made ${cause.message}.`,
      {
        cause,
      },
    )
  })
  if (answer.status !== 200) throw caller.refused(asked, answer)
  try {
    return readListedPage(answer.bytes.toString())
  } catch (cause) {
    throw new StoreRefusedError(
      `The store ${caller.host} did not list the files of ${bucket}: ${(cause as Error).message}.`,
      { cause },
    )
  }
}

/** If the store states no time, the clock of this machine is used. */
function timeOf(date: string): number {
  const time = Date.parse(date)
  return Number.isNaN(time) ? Date.now() : time
}
