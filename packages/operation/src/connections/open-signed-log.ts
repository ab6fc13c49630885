/** The log of a service that appends to public topics, with the signing key of the installation. */
import { signedLog, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { ConfigError } from '@cupel/kit/service'
import { SigningKeysError } from '@cupel/signing'
import { openRecordSigner, type SigningConfig } from '@cupel/evidence/transparency'

/** Throws ConfigError where the keys cannot be used, or are missing where records must be signed. */
export async function openSignedLog<L extends EventLog>(parts: {
  readonly config: SigningConfig
  readonly database: Database
  readonly log: L
  readonly codec: EventCodec
}): Promise<L> {
  try {
    return signedLog(parts.log, await openRecordSigner(parts.config, parts))
  } catch (error) {
    if (!(error instanceof SigningKeysError)) throw error
    throw new ConfigError(error.message, { cause: error })
  }
}
