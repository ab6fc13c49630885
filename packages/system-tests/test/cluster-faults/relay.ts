/** A TCP relay in front of a server: it can reset, hold back or delay connections. With a certificate it ends TLS, as a gateway does. */
import { EventEmitter, once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * `drop`: resets connections, and new ones too. `stall`: holds everything back until the end of the fault, then passes it on. `slow`:
 * delays every piece. `lose`: the machine behind is gone and another replaces it at the end. Clients receive no notice: their earlier
 * connections, and those made during the fault, stay open and silent for good.
 */
export type Impairment = 'drop' | 'stall' | 'slow' | 'lose'

/** SSLRequest of the Postgres protocol: its length, and the code in the position of the version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
/** Delay of each piece on a slow connection. */
const SLOW_MS = 250

export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Relay {
  readonly port: number
  /** Impairs the connections of the callers that `concerns` selects, by default all, until the returned function is called. */
  impair(how: Impairment, concerns?: Concerns): () => void
  /** Resets the open connections; new ones pass. */
  reset(): void
  /** Applies to new connections. */
  useCertificate(certificate: Certificate): void
  close(): Promise<void>
}

export interface RelayOptions {
  /** Port of the server on the loopback address. */
  readonly to: number
  readonly certificate?: Certificate
  /** Clients of Postgres first ask for TLS in plain text; all others begin with TLS. */
  readonly speaks?: 'postgres'
  /** The name of the caller at this port of the loopback address. */
  readonly callerAt?: (port: number) => string | null
}

export type Concerns = (caller: string | null) => boolean

interface Link {
  readonly caller: () => string | null
  readonly client: Socket
  readonly server: Socket
  isLost: boolean
}

interface Rule {
  readonly how: Impairment
  /** Null selects all callers. */
  readonly concerns: Concerns | null
}

const isConcerned = ({ concerns }: Pick<Rule, 'concerns'>, { caller }: Pick<Link, 'caller'>): boolean =>
  concerns === null || concerns(caller())

export async function startRelay(options: RelayOptions): Promise<Relay> {
  const links = new Set<Link>()
  const rules = new Set<Rule>()
  const changes = new EventEmitter().setMaxListeners(0)
  const isImpaired = (how: Impairment, link: Pick<Link, 'caller'>): boolean =>
    [...rules].some((rule) => rule.how === how && isConcerned(rule, link))
  const passage = async (link: Link): Promise<void> => {
    while (isImpaired('stall', link)) await once(changes, 'change')
    if (isImpaired('slow', link)) await pause(SLOW_MS)
  }

  const accept = (client: Socket): void => {
    const caller = callerOf(client, options)
    if (isImpaired('drop', { caller })) return void reset(client)
    const server = connect({ host: '127.0.0.1', port: options.to })
    const link: Link = { caller, client, server, isLost: false }
    links.add(link)
    const wait = () => passage(link)
    carry(link, client, server, wait)
    carry(link, server, client, wait)
    client.once('close', () => links.delete(link))
    if (isImpaired('lose', link)) lose(link)
  }
  const server = listener(options, accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const each = (rule: Pick<Rule, 'concerns'>, act: (link: Link) => void): void =>
    [...links].filter((link) => isConcerned(rule, link)).forEach(act)
  return {
    port: (server.address() as AddressInfo).port,
    impair(how, concerns) {
      const rule = { how, concerns: concerns ?? null }
      rules.add(rule)
      if (how === 'drop') each(rule, resetBoth)
      if (how === 'lose') each(rule, lose)
      return () => {
        rules.delete(rule)
        changes.emit('change')
      }
    },
    reset: () => each({ concerns: null }, resetBoth),
    useCertificate: (certificate) => void server.setSecureContext?.({ ...certificate }),
    async close() {
      rules.clear()
      changes.emit('change')
      each({ concerns: null }, resetBoth)
      server.close()
      await once(server, 'close')
    },
  }
}

/** Looks the caller up only when a rule needs it, and only once: the lookup takes a moment and passes no data. */
function callerOf({ remotePort }: Socket, { callerAt }: RelayOptions): () => string | null {
  let caller: string | null | undefined
  return () => {
    if (caller === undefined) caller = callerAt?.(remotePort ?? 0) ?? null
    return caller
  }
}

function resetBoth({ client, server }: Link): void {
  for (const socket of [client, server]) reset(socket)
}

function lose(link: Link): void {
  link.isLost = true
  reset(link.server)
  // Reads and discards everything the client sends.
  link.client.resume()
}

interface Listener extends Server {
  setSecureContext?(certificate: Certificate): void
}

function listener({ certificate, speaks }: RelayOptions, accept: (client: Socket) => void): Listener {
  // When a client closes its side, the server closes the connection, not the relay.
  if (certificate === undefined) return createServer({ allowHalfOpen: true }, accept)
  const server = createTlsServer({ ...certificate })
  server.on('secureConnection', (client: TLSSocket) => accept(client))
  // A client that refuses the certificate reports that and closes the connection.
  server.on('tlsClientError', () => undefined)
  if (speaks !== 'postgres') return server
  return Object.assign(
    createServer((client) => answerForTls(client, server)),
    {
      setSecureContext: (renewed: Certificate) => server.setSecureContext({ ...renewed }),
    },
  )
}

/** Closes the connection of a client that does not ask for TLS, or sends more before TLS is ready. */
function answerForTls(client: Socket, tls: Server): void {
  client.on('error', () => undefined)
  client.once('data', (asked) => {
    if (!SSL_REQUEST.equals(asked)) return void client.destroy()
    client.pause()
    client.write('S', () => tls.emit('connection', client))
  })
}

/** An end on one side ends the other side, unless a rule holds it back. */
function carry(link: Link, from: Socket, to: Socket, passage: () => Promise<void>): void {
  const carryOn = async (chunk: Buffer): Promise<void> => {
    if (link.isLost) return
    from.pause()
    await passage()
    // If the other side is gone, this side closes soon.
    if (!link.isLost && to.writable && !to.write(chunk)) await drained(to)
    from.resume()
  }
  const passOn = async (act: () => void): Promise<void> => {
    await passage()
    if (!link.isLost || to === link.server) act()
  }
  from.setNoDelay(true)
  from.on('data', (chunk: Buffer) => void carryOn(chunk))
  from.on('end', () => void passOn(() => to.end()))
  from.on('error', () => undefined)
  from.on('close', () => void passOn(() => to.destroy()))
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
