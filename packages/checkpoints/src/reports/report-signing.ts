/** Chooses the key with which a process signs reports. Its public half is in the log, or in the outbox, before the first signature. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LogIdentity } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { purposeOf, readSigningKeys, SigningKeysError, type Signer, type SigningKeys } from '@cupel/signing'
import { publishKeys } from '../publish-keys.js'
import { loadSignaturesRequired } from './signatures-required.js'

export const REPORT_SIGNING_KEYS_FILE = 'report-signing-keys.json'

export interface ReportSigningConfig {
  readonly CUPEL_HOME: string
  readonly CUPEL_REPORT_SIGNING_KEYS_FILE?: string | undefined
}

export function reportSigningKeysFile(config: ReportSigningConfig): string {
  return config.CUPEL_REPORT_SIGNING_KEYS_FILE ?? join(config.CUPEL_HOME, REPORT_SIGNING_KEYS_FILE)
}

/** Null if the installation signs no reports. Throws SigningKeysError if the file cannot be used, or holds a key of checkpoints. */
export function readReportSigningKeys(config: ReportSigningConfig): SigningKeys | null {
  const file = reportSigningKeysFile(config)
  if (config.CUPEL_REPORT_SIGNING_KEYS_FILE === undefined && !existsSync(file)) return null
  const keys = readSigningKeys(file)
  if (purposeOf(keys.signer.key) !== 'reports')
    throw new SigningKeysError(
      `${file} holds keys of checkpoints: make keys of reports with cupel log rotate-signing-key --of reports.`,
    )
  return keys
}

/**
 * The signer of this process's reports; null if the installation signs none. Throws SigningKeysError, also if reports of this log must be
 * signed and there is no key.
 */
export async function openReportSigner(
  config: ReportSigningConfig,
  { database, log }: { readonly database: Database; readonly log: LogIdentity },
): Promise<Signer | null> {
  const keys = readReportSigningKeys(config)
  if (keys !== null) {
    await publishKeys(database, keys)
    return keys.signer
  }
  if ((await loadSignaturesRequired(database, log)).isEmpty) return null
  throw new SigningKeysError(
    `Reports of this log must be signed and this process has no key for it: set CUPEL_REPORT_SIGNING_KEYS_FILE, or put ${REPORT_SIGNING_KEYS_FILE} back into CUPEL_HOME.`,
  )
}
