/** Signs reports: one signature for all reports that are ready in the same moment, in any lane and partition (docs/adr/0297). */
import { createBatcher } from '@cupel/concurrency'
import type { LogIdentity, NewRecord } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { ConfigError } from '@cupel/service-kit'
import { SigningKeysError, signRecords, type Signer } from '@cupel/signing'
import { openReportSigner, type ReportSigningConfig } from '@cupel/transparency'

/** Returns the records with their signatures, in order; unchanged where the installation signs none. */
export type SignReports = (reports: readonly NewRecord[]) => Promise<readonly NewRecord[]>

/** Reports of one tree: paths of at most eight hashes. */
const MAX_BATCH_REPORTS = 256

export const signNothing: SignReports = (reports) => Promise.resolve(reports)

/** Throws ConfigError where the keys cannot be used, or are missing where reports must be signed. */
export async function openSignReports(parts: {
  readonly config: ReportSigningConfig
  readonly database: Database
  readonly log: LogIdentity
}): Promise<SignReports> {
  try {
    const signer = await openReportSigner(parts.config, parts.database)
    return signer === null ? signNothing : createSignReports(signer, parts.log)
  } catch (error) {
    if (!(error instanceof SigningKeysError)) throw error
    throw new ConfigError(error.message, { cause: error })
  }
}

export function createSignReports(signer: Signer, log: LogIdentity): SignReports {
  // One batch at a time, so that the reports of a partition keep their order.
  const batcher = createBatcher<NewRecord, NewRecord>({
    run: (reports) => Promise.resolve(signRecords(reports, { signer, log })),
    maxBatchItems: MAX_BATCH_REPORTS,
  })
  return batcher.addAll
}
