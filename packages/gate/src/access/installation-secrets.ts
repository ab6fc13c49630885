/** The keys of this installation, each for one purpose. All are derived from one random secret in its database. */
import { hkdfSync } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'

/** Keys of 32 bytes; the same on every instance and after every restart. */
export interface InstallationSecrets {
  /** Key of the permutation that turns report numbers into report ids. */
  readonly reportIdKey: Uint8Array
  /** Encrypts page tokens. */
  readonly pageTokenKey: Uint8Array
  /** Encrypts webhook secrets at rest if the operator set no key for them. */
  readonly webhookSecretsKey: Uint8Array
}

const KEY_BYTES = 32

/** Throws if the migrations of this package did not run. */
export async function loadInstallationSecrets(database: Queryable): Promise<InstallationSecrets> {
  const [row] = await database.query<{ secret: Buffer }>('SELECT secret FROM access.installation_secret')
  if (row === undefined)
    throw new Error('access.installation_secret is empty: the migrations of access did not run')
  const keyFor = (purpose: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', row.secret, '', purpose, KEY_BYTES))
  return {
    reportIdKey: keyFor('cupel report ids'),
    pageTokenKey: keyFor('cupel page tokens'),
    webhookSecretsKey: keyFor('cupel webhook secrets'),
  }
}
