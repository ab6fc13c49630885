/** Chooses the key with which a process signs records of public topics. Its public half is in the log, or in the outbox, before the first signature. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, Queryable } from '@cupel/postgres'
import { purposeOf, readSigningKeys, SigningKeysError, type Signer, type SigningKeys } from '@cupel/signing'
import { publishedKeys, publishKeys, statedKeys, type StatedKeysDeps } from './publish-keys.js'

export const REPORT_SIGNING_KEYS_FILE = 'report-signing-keys.json'

export interface RecordSigningConfig {
  readonly CUPEL_HOME: string
  readonly CUPEL_REPORT_SIGNING_KEYS_FILE?: string | undefined
}

export function reportSigningKeysFile(config: RecordSigningConfig): string {
  return config.CUPEL_REPORT_SIGNING_KEYS_FILE ?? join(config.CUPEL_HOME, REPORT_SIGNING_KEYS_FILE)
}

/** Null if the installation signs no reports. Throws SigningKeysError if the file cannot be used, or holds a key of checkpoints. */
export function readReportSigningKeys(config: RecordSigningConfig): SigningKeys | null {
  const file = reportSigningKeysFile(config)
  if (config.CUPEL_REPORT_SIGNING_KEYS_FILE === undefined && !existsSync(file)) return null
  const keys = readSigningKeys(file)
  if (purposeOf(keys.signer.key) !== 'reports')
    throw new SigningKeysError(
      `${file} holds keys of checkpoints: make keys of reports with cupel log rotate-signing-key --of reports.`,
    )
  return keys
}

/** The signer of this process's records; null if the installation signs none. Throws SigningKeysError, also if its key is missing. */
export async function openRecordSigner(
  config: RecordSigningConfig,
  parts: StatedKeysDeps & { readonly database: Database },
): Promise<Signer | null> {
  const keys = readReportSigningKeys(config)
  if (keys !== null) {
    await publishKeys(parts.database, keys)
    return keys.signer
  }
  if (!(await areReportsSigned(parts))) return null
  throw new SigningKeysError(
    `Reports of this log are signed and this process has no key for it: set CUPEL_REPORT_SIGNING_KEYS_FILE, or put ${REPORT_SIGNING_KEYS_FILE} back into CUPEL_HOME.`,
  )
}

/** Whether the log names a key of reports, or will: every report must then carry a signature. */
export async function areReportsSigned(
  parts: StatedKeysDeps & { readonly database: Queryable },
): Promise<boolean> {
  const keys = [...(await publishedKeys(parts.database)), ...(await statedKeys(parts))]
  return keys.some((key) => purposeOf(key) === 'reports')
}
