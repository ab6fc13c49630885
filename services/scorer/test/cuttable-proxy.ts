/** A database proxy that a test can cut and restore, like a restart of the server. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface CuttableProxy {
  readonly connectionString: string
  /** Ends every connection and accepts no new one. */
  cut(): void
  restore(): void
  close(): Promise<void>
}

export async function cuttableProxy(target: string): Promise<CuttableProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((inbound) => {
    if (isCut) return void inbound.destroy()
    const outbound = connect(Number(port), hostname)
    for (const socket of [inbound, outbound]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      // The other side notices by itself: a cut connection ends in both directions.
      socket.on('error', () => socket.destroy())
    }
    inbound.pipe(outbound).pipe(inbound)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    connectionString: url.toString(),
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    restore() {
      isCut = false
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
