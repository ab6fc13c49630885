/** Connections whose password is read from a file each time, so that it can be changed without a restart. */
import { readFileSync } from 'node:fs'
import pg from 'pg'

/**
 * A client class for a pool. Only the password of the connection string in the file is taken: where the connection leads, and how it is
 * verified, stays as it was at the start. While the file cannot be read the last password stands.
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
