/** Keeps connections to checked addresses for a while. Calls to one origin at one address share a pool. */
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectEncrypted } from 'node:tls'
import type { buildConnector, Pool } from 'undici'
import type { Target } from './judge-url.js'

/** One of several addresses may be dead: the limit leaves time for the next one. */
const CONNECT_TIMEOUT_MS = 5_000
const CONNECTIONS_PER_ADDRESS = 64
const MAX_HEADER_BYTES = 16_384
/** Shorter than the usual limit of servers: reusing a connection that the server is closing costs an attempt. */
const KEEP_ALIVE_MS = 3_000
const POOL_IDLE_MS = 30_000
const SWEEP_INTERVAL_MS = 10_000

/** No connection was made, so nothing was sent. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected'
  readonly error: 'connect_failed' | 'tls_failed'
  constructor(error: NotConnected['error'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.error = error
  }
}

export interface Pools {
  /** Runs one call over the pool of this origin and address. Rejects with NotConnected if no connection was made. */
  use<T>(target: Target, address: string, call: (pool: Pool) => Promise<T>): Promise<T>
  /** Ends every call. */
  close(): Promise<void>
}

interface HeldPool {
  readonly pool: Pool
  calls: number
  idleSinceMs: number
}

/** `ca`: certificate authorities in PEM; by default those of Node. */
export function createPools(ca: string | undefined): Pools {
  const pools = new Map<string, HeldPool>()
  const sweep = setInterval(dropIdle, SWEEP_INTERVAL_MS).unref()

  /** A host name that resolves to another address gets another pool. */
  async function poolOf(target: Target, address: string): Promise<HeldPool> {
    const { Pool } = await import('./undici-pool.js')
    const key = `${target.url.origin} ${address}`
    const found = pools.get(key)
    if (found !== undefined) return found
    const pool = new Pool(target.url.origin, {
      connections: CONNECTIONS_PER_ADDRESS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The limit of the call ends the request.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: pinnedConnector(target, address, ca),
    })
    const held = { pool, calls: 0, idleSinceMs: performance.now() }
    pools.set(key, held)
    return held
  }

  function dropIdle(): void {
    for (const [key, held] of pools) {
      if (held.calls > 0 || performance.now() - held.idleSinceMs < POOL_IDLE_MS) continue
      pools.delete(key)
      void held.pool.close()
    }
  }

  return {
    async use(target, address, call) {
      const held = await poolOf(target, address)
      held.calls += 1
      try {
        return await call(held.pool)
      } finally {
        held.calls -= 1
        held.idleSinceMs = performance.now()
      }
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
      pools.clear()
    },
  }
}

/** Always connects to the given address, whatever the URL says. The certificate must match the host name. */
function pinnedConnector(
  { hostname, port, isEncrypted }: Target,
  address: string,
  ca: string | undefined,
): buildConnector.connector {
  return (_options, callback) => {
    let isConnected = false
    const place = { host: address, port, autoSelectFamily: false }
    const socket: Socket = isEncrypted
      ? connectEncrypted({
          ...place,
          // An address has no server name to send (RFC 6066, section 3).
          ...(hostname === address ? {} : { servername: hostname }),
          ALPNProtocols: ['http/1.1'],
          minVersion: 'TLSv1.2',
          ...(ca === undefined ? {} : { ca }),
        })
      : connectPlain(place)
    const timer = setTimeout(() => socket.destroy(new Error('connecting took too long')), CONNECT_TIMEOUT_MS)
    let hasPeer = !isEncrypted
    if (isEncrypted) socket.once('connect', () => (hasPeer = true))
    socket.once(isEncrypted ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      isConnected = true
      callback(null, socket)
    })
    socket.once('error', (error) => {
      clearTimeout(timer)
      if (isConnected) return
      isConnected = true
      callback(new NotConnected(isEncrypted && hasPeer ? 'tls_failed' : 'connect_failed', error), null)
    })
    socket.setNoDelay(true)
  }
}
