/** An archive in an S3-compatible store. Every file is stored once, under a free name. */
import { openS3Client, s3Address, type S3Client, type S3Connection } from '@cupel/kit/object-store'
import { LEASE_MS } from '../limits.js'
import { ArchiveError, ArchiveInUseError, type ArchiveStore, type Draft } from '../store.js'
import { isLeased, takeLease, type HeldLease } from './s3-lease.js'

const LOCK = 'lock'

export interface S3StoreOptions extends S3Connection {
  /** For tests: how long a killed run keeps others out, in milliseconds. */
  readonly leaseMs?: number
}

/** Throws a RangeError with a sentence if the address is not valid. It makes no call yet. */
export function openS3Store(
  place: string,
  { leaseMs = LEASE_MS, ...connection }: S3StoreOptions,
): ArchiveStore {
  const { bucket, prefix } = s3Address(place)
  const client = openS3Client(bucket, connection)
  const base = prefix === '' ? '' : `${prefix}/`
  const lock = `${base}${LOCK}`
  let held: HeldLease | null = null

  return {
    place,
    isShared: true,
    list: async () =>
      (await client.list(base))
        .filter((key) => key !== lock)
        .map((key) => key.slice(base.length))
        .sort(),
    async read(path, maxBytes) {
      return (await readKey(client, `${base}${path}`, maxBytes))?.bytes ?? null
    },
    create: (path) =>
      Promise.resolve(draftOf(client, { place, key: `${base}${path}`, require: () => held?.require() })),
    async remove(path) {
      held?.require()
      await client.delete(`${base}${path}`)
    },
    isHeld: () => isLeased(client, lock),
    async hold() {
      const lease = await takeLease(client, lock, { place, leaseMs })
      held = lease
      return {
        async release() {
          held = null
          await lease.release()
        },
      }
    },
  }
}

async function readKey(client: S3Client, key: string, maxBytes: number) {
  return await client.get(key, maxBytes).catch((cause: unknown) => {
    if (cause instanceof RangeError) throw new ArchiveError(`${key} ${cause.message}.`, { cause })
    throw cause
  })
}

/** Keeps the file in memory until one call stores it. A store executes such a call completely or not at all. */
function draftOf(
  client: S3Client,
  { place, key, require }: { readonly place: string; readonly key: string; readonly require: () => void },
): Draft {
  let pieces: Buffer[] = []
  return {
    write(bytes) {
      pieces.push(bytes)
      return Promise.resolve()
    },
    async put() {
      require()
      const whole = Buffer.concat(pieces)
      pieces = []
      if (await client.putNew(key, whole)) return
      // An attempt whose answer was lost may have stored it.
      const found = await readKey(client, key, whole.length).catch((error: unknown) => {
        if (error instanceof ArchiveError) return null
        throw error
      })
      if (found !== null && found.bytes.equals(whole)) return
      throw new ArchiveInUseError(
        `Another run put ${key} into ${place} meanwhile: this one ends, and what it put counts for nothing. Run it again.`,
      )
    },
    discard() {
      pieces = []
      return Promise.resolve()
    },
  }
}
