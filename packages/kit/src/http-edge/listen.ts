/** Opens the listeners of the services that people and programs call. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ListenAddress {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly isEncrypted: boolean
}

/** Connections that the kernel queues while the event loop is busy. */
const LISTEN_BACKLOG = 1_024

interface Listener {
  readonly server: Pick<Server, 'address'>
  listen(options: { host: string; port: number; backlog: number }): Promise<unknown>
}

/** Resolves to the URL at which the listener can be reached from this machine. Rejects if the port is taken. */
export async function listen(
  listener: Listener,
  { host, port, isEncrypted }: ListenAddress,
): Promise<string> {
  await listener.listen({ host, port, backlog: LISTEN_BACKLOG })
  const { port: actualPort } = listener.server.address() as AddressInfo
  return `${isEncrypted ? 'https' : 'http'}://${reachable(host)}:${actualPort}`
}

/** A wildcard address cannot be called; the loopback address can. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
