/** The server that a connection string leads to, as the driver reads it: with its parameters and the environment. */
import pg from 'pg'

export interface DatabasePeer {
  /** `null` for a socket in the file system. */
  readonly host: string | null
  /** Whether the connection is encrypted, and the certificate and name of the server are checked. */
  readonly isVerified: boolean
}

/** Does not connect. Throws if the driver cannot read the connection string. */
export function databasePeer(connectionString: string): DatabasePeer {
  const { host, ssl } = new pg.Client({ connectionString }) as unknown as { host: string; ssl: unknown }
  return { host: host.startsWith('/') ? null : host, isVerified: isVerified(ssl) }
}

/** `sslmode=no-verify` and similar settings clear `rejectUnauthorized`, or replace the comparison of names. */
function isVerified(ssl: unknown): boolean {
  if (typeof ssl !== 'object' || ssl === null) return ssl === true
  return (
    (!('rejectUnauthorized' in ssl) || ssl.rejectUnauthorized === true) && !('checkServerIdentity' in ssl)
  )
}
