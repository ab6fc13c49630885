/** The client address of a call, and whether the call may use plain HTTP. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { normaliseIp, parseIpRange, type IpRange } from './ip-range.js'

/** `clientAddress`: in text form, or UNKNOWN_CLIENT. */
export type Origin = { readonly ok: true; readonly clientAddress: string } | { readonly ok: false }

/** The client of a call whose trusted proxy did not name exactly one client. No allowlist contains it. */
export const UNKNOWN_CLIENT = 'unknown'

export interface Transport {
  /** Whether this listener ends TLS itself. */
  readonly isEncrypted: boolean
  /** Rejects plain HTTP except from this host and trusted proxies. The key is not checked, because it was sent unencrypted. */
  judge(request: IncomingMessage): Origin
  /** Whether this call came over TLS, ended here or by a trusted proxy that says so in X-Forwarded-Proto. */
  isSecure(request: IncomingMessage): boolean
  /** Whether the peer is a trusted proxy, which has many clients. */
  isTrustedPeer(socket: Socket): boolean
}

export interface TransportOptions {
  /** CIDR ranges of proxies that end TLS in front of this service and set X-Forwarded-For. */
  readonly trustedProxies: readonly string[]
  readonly isEncrypted: boolean
  /** The secret that authenticates the console: the console names the address of the person it calls for. */
  readonly webSecret?: string | undefined
}

/** Only the console sends it, to the API. */
export const WEB_SECRET_HEADER = 'cupel-web-secret'
export const CLIENT_ADDRESS_HEADER = 'cupel-client-address'

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** Throws if a trusted proxy is not a CIDR range. */
export function createTransport(options: TransportOptions): Transport {
  const trusted = options.trustedProxies.map(rangeOf)
  const loopback = LOOPBACK.map(rangeOf)
  const secretDigest = options.webSecret === undefined ? null : digestOf(options.webSecret)
  // A kept connection has one peer for all its requests.
  const peers = new WeakMap<Socket, Peer>()

  const peerOf = (socket: Socket): Peer => {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const address = normaliseIp(socket.remoteAddress ?? '') ?? UNKNOWN_ADDRESS
    const isTrusted = trusted.some((range) => range.contains(address))
    const peer = { address, isTrusted, isLoopback: loopback.some((range) => range.contains(address)) }
    peers.set(socket, peer)
    return peer
  }
  return {
    isEncrypted: options.isEncrypted,
    isSecure(request) {
      if (options.isEncrypted) return true
      const forwarded = request.headers['x-forwarded-proto']
      // The trusted proxy wrote the last entry.
      return (
        typeof forwarded === 'string' &&
        /(?:^|,)\s*https\s*$/i.test(forwarded) &&
        peerOf(request.socket).isTrusted
      )
    },
    isTrustedPeer: (socket) => peerOf(socket).isTrusted,
    judge(request) {
      const peer = peerOf(request.socket)
      if (!options.isEncrypted && !peer.isLoopback && !peer.isTrusted) return { ok: false }
      const named = addressNamedByConsole(request, secretDigest)
      if (named !== null) return { ok: true, clientAddress: named }
      const forwarded = request.headers['x-forwarded-for']
      if (!peer.isTrusted) return { ok: true, clientAddress: peer.address }
      const hops = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
      return { ok: true, clientAddress: clientOf(hops, trusted) ?? UNKNOWN_CLIENT }
    },
  }
}

/** Null if the call is not the console's. Digests have one length, so that the comparison reveals nothing about the secret. */
function addressNamedByConsole(request: IncomingMessage, secretDigest: Buffer | null): string | null {
  const secret = request.headers[WEB_SECRET_HEADER]
  const address = request.headers[CLIENT_ADDRESS_HEADER]
  if (secretDigest === null || typeof secret !== 'string' || typeof address !== 'string') return null
  return timingSafeEqual(digestOf(secret), secretDigest) ? (normaliseIp(address) ?? UNKNOWN_CLIENT) : null
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

interface Peer {
  readonly address: string
  readonly isTrusted: boolean
  readonly isLoopback: boolean
}

/** A socket that is already gone has no address; no allowlist contains this one. */
const UNKNOWN_ADDRESS = '0.0.0.0'

/**
 * The last hop that is not trusted, from the right: entries left of it may be forged. The first hop if all are trusted. Null if an entry on
 * the way is unreadable, or if there is none.
 */
function clientOf(forwardedFor: string | undefined, trusted: readonly IpRange[]): string | null {
  if (forwardedFor === undefined) return null
  let address: string | null = null
  for (const hop of forwardedFor.split(',').reverse()) {
    address = addressOfHop(hop.trim())
    if (address === null || !trusted.some((range) => range.contains(address!))) return address
  }
  return address
}

/** `ip`, `ip:port`, `[v6]` or `[v6]:port`, as proxies write them; null for anything else. */
function addressOfHop(hop: string): string | null {
  const [, v4, v6] = /^(?:([0-9.]+):[0-9]{1,5}|\[([^\]]+)\](?::[0-9]{1,5})?)$/.exec(hop) ?? []
  return normaliseIp(v4 ?? v6 ?? hop)
}

function rangeOf(text: string): IpRange {
  const range = parseIpRange(text)
  if (range === null) throw new Error(`${text} is not an IP range; expected for example 10.0.0.0/8`)
  return range
}
