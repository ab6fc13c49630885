/** Ports on the loopback address. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { LocalStackError } from './local-stack-error.js'

const HOST = '127.0.0.1'
/**
 * Below the ports that systems assign to outgoing connections and to port 0. A port in that range may be taken again before its program
 * listens, or while its program restarts.
 */
const FIRST_PORT = 20_000
const LAST_PORT = 29_999
/** Tries this many before it accepts any port. */
const TRIES = 50

/** A free port; `preferred` if it is free, so that connection strings survive a restart. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && preferred !== 0) {
    try {
      return await tryPort(preferred)
    } catch {
      // The port is taken: any other one is fine.
    }
  }
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      return await tryPort(randomInt(FIRST_PORT, LAST_PORT + 1))
    } catch {
      // Another program has it.
    }
  }
  return await tryPort(0)
}

/** Throws `port-taken` if another program listens on the port. Port 0 is always free. */
export async function requireFreePort(port: number, host: string, setting: string): Promise<void> {
  try {
    await tryPort(port, host)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'EADDRINUSE')
      throw new LocalStackError(
        'port-taken',
        `Port ${port} on ${host} is taken by another program: end it, or choose another with ${setting} (0 for any free one).`,
        { cause },
      )
    if (code === 'EACCES')
      throw new LocalStackError(
        'permission-denied',
        `Port ${port} on ${host} may not be opened by this user: choose one above 1023 with ${setting}.`,
        { cause },
      )
    throw new LocalStackError(
      'port-taken',
      `Nothing can listen on ${host}:${port} (${code ?? String(cause)}).`,
      {
        cause,
      },
    )
  }
}

function tryPort(port: number, host = HOST): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port)
        else reject(new Error('The port of a listening server is unknown'))
      })
    })
  })
}
