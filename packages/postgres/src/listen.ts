/** Listens for notifications of other database sessions, over its own connection. */
import pg from 'pg'
import type { Database } from './database.js'
import { clientWithPasswordOf } from './renewed-password.js'
import { KEEP_ALIVE_MS } from './watched-client.js'

export interface ListeningConnection {
  /** Resolves once the connection has ended, whichever side ended it. Never rejects. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000

/**
 * Resolves when it is listening; rejects if it cannot connect. `onNotice` must not throw. Notifications sent while there is no
 * connection are lost: use it only to hurry work that is also done without it.
 */
export async function listen(
  { connectionString, connectionStringFile, applicationName }: Database['connection'],
  channel: string,
  onNotice: (payload: string) => void,
): Promise<ListeningConnection> {
  const Client = connectionStringFile === undefined ? pg.Client : clientWithPasswordOf(connectionStringFile)
  const client = new Client({
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  client.on('notification', ({ payload }) => onNotice(payload ?? ''))
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  const close = (): Promise<void> => client.end().catch(() => undefined)
  try {
    await client.connect()
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    await close()
    throw error
  }
  return { ended, close }
}
