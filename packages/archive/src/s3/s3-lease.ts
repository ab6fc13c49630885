/**
 * Keeps a second run away from an archive in a store. It is a convenience, not a safeguard: a run that was paused for longer than its lease
 * continues without it. Two histories stay apart because a manifest is stored only under a free name.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { StoreRefusedError, StoreUnavailableError, type S3Client } from '@cupel/kit/object-store'
import { ArchiveInUseError } from '../store.js'

interface Lease {
  readonly id: string
  readonly by: string
  /** Milliseconds since 1970, by the clock of the store. */
  readonly until: number
}

const MAX_LEASE_BYTES = 4_096

export interface HeldLease {
  /** Throws ArchiveInUseError if another run took over the lease. */
  require(): void
  release(): Promise<void>
}

export async function takeLease(
  client: S3Client,
  key: string,
  { place, leaseMs }: { readonly place: string; readonly leaseMs: number },
): Promise<HeldLease> {
  const id = randomUUID()
  const by = `process ${process.pid} on ${hostname()}`
  const lease = (now: number): Buffer => Buffer.from(`${JSON.stringify({ id, by, until: now + leaseMs })}\n`)
  const found = await readLease(client, key)
  if (found !== null) {
    if (found.lease !== null && found.now < found.lease.until) throw inUse(place, found.lease)
    await client.delete(key)
  }
  // The clock of the store is known after its first answer; the clock of this machine may be minutes off.
  if (!(await client.putNew(key, lease(Date.now())))) {
    const other = (await readLease(client, key))?.lease
    // An attempt whose answer was lost may have stored it.
    if (other?.id !== id) throw inUse(place, other)
  }
  if (await client.putNew(key, lease(Date.now()))) {
    await client.delete(key)
    throw new StoreRefusedError(
      `${place} does not keep files from being replaced: it accepted a file under a name that was taken (If-None-Match).`,
    )
  }
  let lost: Lease | null = null
  const renew = async (): Promise<void> => {
    const now = await readLease(client, key)
    if (now !== null && now.lease?.id !== id) lost = now.lease ?? { id: '', by: 'another run', until: 0 }
    else if (lost === null) await client.put(key, lease(now?.now ?? Date.now()))
  }
  await renew()
  let renewing: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    // If the store is unreachable, the run itself reports it.
    renewing = renewing.then(renew).catch(() => undefined)
  }, leaseMs / 3)
  timer.unref()
  const requireOwn = (): void => {
    if (lost !== null) throw inUse(place, lost)
  }
  return {
    require: requireOwn,
    async release() {
      clearInterval(timer)
      await renewing
      if (lost !== null) return
      try {
        const last = await readLease(client, key)
        if (last?.lease?.id === id) await client.delete(key)
      } catch (error) {
        // The lease expires by itself.
        if (!(error instanceof StoreUnavailableError) && !(error instanceof StoreRefusedError)) throw error
      }
    },
  }
}

export async function isLeased(client: S3Client, key: string): Promise<boolean> {
  const found = await readLease(client, key)
  return found?.lease !== null && found !== null && found.now < found.lease.until
}

/** `lease` is null if no run wrote the content of the file. */
async function readLease(
  client: S3Client,
  key: string,
): Promise<{ readonly lease: Lease | null; readonly now: number } | null> {
  const found = await client.get(key, MAX_LEASE_BYTES).catch((error: unknown) => {
    if (error instanceof RangeError) return { bytes: Buffer.alloc(0), serverTime: Date.now() }
    throw error
  })
  if (found === null) return null
  return { lease: leaseOf(found.bytes), now: found.serverTime }
}

function leaseOf(bytes: Buffer): Lease | null {
  try {
    const { id, by, until } = JSON.parse(bytes.toString()) as Record<string, unknown>
    if (typeof id === 'string' && typeof by === 'string' && Number.isSafeInteger(until))
      return { id, by, until: until as number }
  } catch {
    // No run wrote it.
  }
  return null
}

function inUse(place: string, lease: Lease | null | undefined): ArchiveInUseError {
  const by = lease === null || lease === undefined ? 'Another run' : `Another run (${lease.by})`
  const until =
    lease === null || lease === undefined || lease.until === 0
      ? ''
      : ` It has until ${new Date(lease.until).toISOString()}, and renews that while it is at work.`
  return new ArchiveInUseError(`${by} writes into ${place}: wait until it is done.${until}`)
}
