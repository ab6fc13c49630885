/** Limits of connections: deadlines, sizes and numbers. */
import type { Server as HttpServer } from 'node:http'
import type { Server, Socket } from 'node:net'
import { createSecureContext, Server as TlsServer } from 'node:tls'
import type { Metrics } from '@cupel/contracts'
import { clientNetwork } from './ip-range.js'

export interface ConnectionLimits {
  /** Time a client may take to send the head of a request, counted from the connection or the previous answer's end. */
  readonly headersTimeoutMs: number
  /** Time a client may take to send a whole request, body included. */
  readonly requestTimeoutMs: number
  /** Interval between two checks of both. */
  readonly timeoutCheckIntervalMs: number
  /** Idle time after which a kept connection is closed; above the minute common among load balancers. */
  readonly keepAliveTimeoutMs: number
  /** Time without traffic after which any connection is closed; above the longest screen deadline. */
  readonly silenceTimeoutMs: number
  /** Longest head of a request. */
  readonly maxHeaderBytes: number
  /** Connections one instance holds at once. */
  readonly maxConnections: number
  /** Connections one client (an IPv4 address, or the /64 of an IPv6 address) may hold at once, so that none can take all. */
  readonly maxConnectionsPerPeer: number
}

export const connectionLimits: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckIntervalMs: 2_000,
  keepAliveTimeoutMs: 65_000,
  silenceTimeoutMs: 120_000,
  maxHeaderBytes: 16_384,
  maxConnections: 8_192,
  maxConnectionsPerPeer: 1_024,
}

/** Certificate chain and private key in PEM. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

/** Node's message about the fault of the pair, which never contains the key; null if the pair is usable. */
export function tlsFaultOf(identity: TlsIdentity): string | null {
  try {
    createSecureContext(identity)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const MIN_TLS_VERSION = 'TLSv1.2' as const

/** New connections get the new certificate; open ones keep the former one. The server already serves HTTPS. */
export function renewIdentity(server: HttpServer, identity: TlsIdentity): void {
  if (!(server instanceof TlsServer)) throw new Error('A server without TLS has no certificate to renew')
  server.setSecureContext({ ...identity, minVersion: MIN_TLS_VERSION })
}

/** Options of Node's HTTP server, and of its HTTPS server if there is an identity. */
export function serverOptionsOf(limits: ConnectionLimits, tls: TlsIdentity | null) {
  const http = {
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // The frame rejects a missing Host with a problem, like every other fault.
    requireHostHeader: false,
  }
  // A handshake is the head of a connection: its limit is that of the head of a request.
  if (tls !== null)
    return {
      https: { ...http, ...tls, minVersion: MIN_TLS_VERSION, handshakeTimeout: limits.headersTimeoutMs },
    }
  return { http }
}

/**
 * Drops connections beyond the limits before a byte of them is read. `isExempt`: peers with many clients, such as the proxies in front of
 * the service.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  isExempt: (socket: Socket) => boolean,
  metrics: Metrics,
): void {
  const dropped = metrics.counter('http_connections_dropped_total', 'Connections beyond the limits.', [
    'limit',
  ])
  for (const limit of ['instance', 'peer']) dropped.inc({ limit }, 0)
  const held = new Map<string, number>()
  server.maxConnections = limits.maxConnections
  server.on('drop', () => dropped.inc({ limit: 'instance' }))
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress === undefined || isExempt(socket)) return
    const peer = clientNetwork(socket.remoteAddress)
    const count = held.get(peer) ?? 0
    if (count >= limits.maxConnectionsPerPeer) {
      dropped.inc({ limit: 'peer' })
      socket.destroy()
      return
    }
    held.set(peer, count + 1)
    socket.once('close', () => {
      const left = (held.get(peer) ?? 1) - 1
      if (left === 0) held.delete(peer)
      else held.set(peer, left)
    })
  })
}
