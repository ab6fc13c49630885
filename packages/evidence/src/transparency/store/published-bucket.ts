/**
 * Published files in an object store, which no pod has to mount. A checkpoint replaces only the one that its writer has seen, and a tile
 * replaces nothing, so that a writer that lost the lock of the database meanwhile, or one of another database, never puts its tree over a newer one.
 */
import { randomUUID } from 'node:crypto'
import {
  openS3Client,
  s3Address,
  StoreRefusedError,
  type S3Client,
  type S3Connection,
} from '@cupel/kit/object-store'
import { otherBytes, TransparencyStoppedError } from '../transparency-stopped.js'
import type { PublishedStore } from './published-store.js'

/** A bundle of 256 entries with lengths of two bytes has less. */
const MAX_FILE_BYTES = 17 * 1024 * 1024
/** The projector looks again after seconds, so that a dead store is red at once. */
const times = { connectMs: 2_000, idleMs: 5_000, attemptMs: 15_000, maxPauseMs: 1_000, attempts: 3 }
/** Names a content that no file has. */
const OTHER_ETAG = '"d41d8cd98f00b204e9800998ecf8427e"'
const PROBE = Buffer.from('Whether this store keeps files from being replaced.\n')

/** Throws a RangeError with a sentence if the address is not valid. It makes no call yet. */
export function publishedBucket(place: string, connection: S3Connection): PublishedStore {
  const { bucket, prefix } = s3Address(place)
  const client = openS3Client(bucket, { ...connection, times: { ...times, ...connection.times } })
  const base = prefix === '' ? '' : `${prefix}/`
  let probed: Promise<void> | null = null
  const probe = async (by: S3Client): Promise<void> => {
    probed ??= requireConditions(by, `${base}probe-${randomUUID()}`, place)
    await probed.catch((error: unknown) => {
      probed = null
      throw error
    })
  }
  return inBucket(client, { place, base, probe })
}

interface Parts {
  readonly place: string
  readonly base: string
  readonly probe: (by: S3Client) => Promise<void>
}

function inBucket(client: S3Client, { place, base, probe }: Parts): PublishedStore {
  const find = async (path: string) =>
    await client.get(`${base}${path}`, MAX_FILE_BYTES).catch((cause: unknown) => {
      if (!(cause instanceof RangeError)) throw cause
      throw new TransparencyStoppedError(`${place}/${path} ${cause.message}: put it back, from a copy.`, {
        cause,
      })
    })
  const list = async (folder: string): Promise<string[]> => {
    const whole = `${base}${folder}/`
    return (await client.list(whole)).map((key) => key.slice(whole.length)).sort()
  }
  return {
    ...{ place, list },
    read: async (path) => (await find(path))?.bytes ?? null,
    async write(path, bytes) {
      await probe(client)
      // An attempt whose answer was lost may have stored it.
      if (await client.putNew(`${base}${path}`, bytes)) return
      const found = await find(path)
      if (found === null) throw refusedInVain(place, path)
      if (!found.bytes.equals(bytes)) throw otherBytes(place, path)
    },
    async replace(path, text, before) {
      await probe(client)
      const [key, bytes, found] = [`${base}${path}`, Buffer.from(text), await find(path)]
      if ((found?.bytes.toString() ?? null) !== before) return false
      const isFirst =
        found === null ? await client.putNew(key, bytes) : await client.putOver(key, bytes, found.etag)
      if (isFirst) return true
      const now = await find(path)
      // Nobody else was first: without this error the projector would go on without a checkpoint.
      if (now?.etag === found?.etag) throw refusedInVain(place, path)
      // An attempt whose answer was lost may have stored it.
      return now?.bytes.equals(bytes) === true
    },
    async remove(folder) {
      for (const name of await list(folder)) await client.delete(`${base}${folder}/${name}`)
    },
    within: (folder) => inBucket(client, { place: `${place}/${folder}`, base: `${base}${folder}/`, probe }),
    until: (signal) => inBucket(client.until(signal), { place, base, probe }),
  }
}

const refusedInVain = (place: string, path: string): StoreRefusedError =>
  new StoreRefusedError(
    `${place}/${path} cannot be written: the store refused it under a condition that holds (If-None-Match, If-Match).`,
  )

/** Throws StoreRefusedError if the store would put a checkpoint over one that its writer has not seen. */
async function requireConditions(client: S3Client, key: string, place: string): Promise<void> {
  await client.putNew(key, PROBE)
  const replaces = (await client.putNew(key, PROBE)) || (await client.putOver(key, PROBE, OTHER_ETAG))
  await client.delete(key)
  if (replaces)
    throw new StoreRefusedError(
      `${place} does not keep files from being replaced: it accepted one under a condition that does not hold (If-None-Match, If-Match).`,
    )
}
