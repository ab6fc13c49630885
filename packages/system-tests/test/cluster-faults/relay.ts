/** A TCP relay in front of a server: it can hang up, hold back or delay what passes. With a certificate it ends TLS, as a gateway does. */
import { EventEmitter, once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { setTimeout as pause } from 'node:timers/promises'

/** `drop`: connections are reset, and new ones too. `stall`: nothing passes until the end, then all of it. `slow`: every piece is late. */
export type Impairment = 'drop' | 'stall' | 'slow'
export const impairments = ['drop', 'stall', 'slow'] as const satisfies readonly Impairment[]

/** How late a piece of a slow connection is. */
const SLOW_MS = 250

export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Relay {
  readonly port: number
  /** Impairs the connections of those who call that `concerns` chooses, until the returned function is called. */
  impair(how: Impairment, concerns?: (caller: string | null) => boolean): () => void
  /** Resets what is connected; new connections pass. */
  reset(): void
  /** For new connections. */
  useCertificate(certificate: Certificate): void
  close(): Promise<void>
}

export interface RelayOptions {
  /** Port of the server on the loopback address. */
  readonly to: number
  readonly certificate?: Certificate
  /** The name of who calls from this port of the loopback address. */
  readonly callerAt?: (port: number) => string | null
}

interface Link {
  readonly caller: string | null
  readonly sockets: readonly Socket[]
}

interface Rule {
  readonly how: Impairment
  readonly concerns: (caller: string | null) => boolean
}

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const links = new Set<Link>()
  const rules = new Set<Rule>()
  const changes = new EventEmitter().setMaxListeners(0)
  const isImpaired = (how: Impairment, caller: string | null): boolean =>
    [...rules].some((rule) => rule.how === how && rule.concerns(caller))
  const passage = async (caller: string | null): Promise<void> => {
    while (isImpaired('stall', caller)) await once(changes, 'change')
    if (isImpaired('slow', caller)) await pause(SLOW_MS)
  }

  const accept = (client: Socket): void => {
    const caller = options.callerAt?.(client.remotePort ?? 0) ?? null
    if (isImpaired('drop', caller)) return void reset(client)
    const server = connect({ host: '127.0.0.1', port: options.to })
    const link: Link = { caller, sockets: [client, server] }
    links.add(link)
    const wait = () => passage(caller)
    carry(client, server, wait)
    carry(server, client, wait)
    server.once('close', () => links.delete(link))
  }
  const server = listener(options.certificate, accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const resetAll = (concerns: Rule['concerns']): void => {
    for (const { caller, sockets } of links) if (concerns(caller)) sockets.forEach(reset)
  }
  return {
    port: (server.address() as AddressInfo).port,
    impair(how, concerns = () => true) {
      const rule = { how, concerns }
      rules.add(rule)
      if (how === 'drop') resetAll(concerns)
      return () => {
        rules.delete(rule)
        changes.emit('change')
      }
    },
    reset: () => resetAll(() => true),
    useCertificate: (certificate) => void server.setSecureContext?.({ ...certificate }),
    async close() {
      rules.clear()
      changes.emit('change')
      resetAll(() => true)
      server.close()
      await once(server, 'close')
    },
  }
}

interface Listener extends Server {
  setSecureContext?(certificate: Certificate): void
}

function listener(certificate: Certificate | undefined, accept: (client: Socket) => void): Listener {
  if (certificate === undefined) return createServer(accept)
  const server = createTlsServer({ ...certificate })
  server.on('secureConnection', (client: TLSSocket) => accept(client))
  // A client that refuses the certificate says so and hangs up.
  server.on('tlsClientError', () => undefined)
  return server
}

/** What ends on one side ends on the other, when it may pass. */
function carry(from: Socket, to: Socket, passage: () => Promise<void>): void {
  const carryOn = async (chunk: Buffer): Promise<void> => {
    from.pause()
    await passage()
    // Where the other side is gone, this one is about to be closed.
    if (to.writable && !to.write(chunk)) await drained(to)
    from.resume()
  }
  from.setNoDelay(true)
  from.on('data', (chunk: Buffer) => void carryOn(chunk))
  from.on('end', () => void passage().then(() => to.end()))
  from.on('error', () => undefined)
  from.on('close', () => void passage().then(() => to.destroy()))
}

async function drained(socket: Socket): Promise<void> {
  const over = new AbortController()
  const events = ['drain', 'close'].map((event) => once(socket, event, { signal: over.signal }))
  await Promise.race(events).catch(() => undefined)
  over.abort()
  await Promise.allSettled(events)
}

function reset(socket: Socket): void {
  // A TLS socket cannot be reset.
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
