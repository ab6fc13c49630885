/** The key with which a process signs records of public topics. Its public half is in the log, or in the outbox, before the first signature. */
import type { Database, Queryable } from '@cupel/postgres'
import { SigningKeysError, type Signer } from '@cupel/signing'
import { publishedKeys, publishKeys, statedKeys, type StatedKeysDeps } from './publish-keys.js'
import { installationKeys, SIGNING_KEYS_FILE, type SigningConfig } from './settings.js'

/** The signer of this process's records; null if the installation signs none. Throws SigningKeysError, also if its key is missing. */
export async function openRecordSigner(
  config: SigningConfig,
  parts: StatedKeysDeps & { readonly database: Database },
): Promise<Signer | null> {
  const keys = installationKeys(config)
  if (keys !== null) {
    await publishKeys(parts.database, keys)
    return keys.signer
  }
  if (!(await isLogSigned(parts))) return null
  throw new SigningKeysError(
    `Records of this log are signed and this process has no key for it: set CUPEL_SIGNING_KEYS_FILE, or put ${SIGNING_KEYS_FILE} back into CUPEL_HOME.`,
  )
}

/** Whether the log names a signing key, or will: every record of a public topic must then carry a signature. */
export async function isLogSigned(
  parts: StatedKeysDeps & { readonly database: Queryable },
): Promise<boolean> {
  return (await publishedKeys(parts.database)).length > 0 || (await statedKeys(parts)).length > 0
}
