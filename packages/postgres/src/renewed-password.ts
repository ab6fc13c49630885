/** Connections that read their password from a file each time, so that it can be changed without a restart. */
import { readFileSync } from 'node:fs'
import pg from 'pg'

/**
 * A client class for a pool. Only the password of the connection string in the file is used. The server and its verification
 * stay as they were at the start. While the file cannot be read, the last password is used.
 */
export function clientWithPasswordOf(connectionStringFile: string): typeof pg.Client {
  let last: string | null = null
  const password = (): string | null => {
    try {
      const connectionString = readFileSync(connectionStringFile, 'utf8').trim()
      last = new pg.Client({ connectionString }).password ?? null
    } catch {
      // The reason may repeat the string. The server refuses a password that is wrong, and the next connection reads again.
    }
    return last
  }
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const renewed = password()
      if (renewed !== null) Object.defineProperty(this, 'password', { value: renewed })
    }
  }
}
