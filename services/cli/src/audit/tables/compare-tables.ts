/** Everything in the database that the log states outside of read models: primary tables, the ledger, and the topic of the latest reports. */
import { areMacsRequired, type AuthenticLog, type EventCodec, LogStoppedError } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { compareLedger } from '@cupel/ledger'
import type { Acceptance } from '@cupel/transparency'
import { compareLatestReports, problemOfRow, type Problem } from '@cupel/proofs'

import { comparePrimaryTables } from './compare-primary-tables.js'

interface Parts {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  readonly database: Database
  readonly acceptances: readonly Acceptance[]
  /** Since when the log demands MACs; null if it does not. */
  readonly macsRequiredSince: string | null
}

/** A log that lost records states too little: that nothing was compared is a problem by itself. */
export async function compareTables(parts: Parts): Promise<readonly Problem[]> {
  try {
    const ledger = await compareLedger(parts)
    return [
      ...(await comparePrimaryTables(parts)),
      ...ledger.map((sentence) => problemOfRow('table', { row: 'ledger' }, sentence)),
      ...(await compareLatestReports(parts)),
      ...(await compareMacs(parts)),
    ]
  } catch (error) {
    if (!(error instanceof LogStoppedError)) throw error
    return [
      problemOfRow(
        'table',
        { row: 'primary tables' },
        `They were not compared with the log: ${error.message}`,
      ),
    ]
  }
}

/** Records without a MAC count for everybody once somebody deleted the rows that require one. */
async function compareMacs({ log, database, macsRequiredSince: since }: Parts): Promise<readonly Problem[]> {
  if (since === null || (await areMacsRequired(database, await log.identity()))) return []
  const detail =
    'Records without MACs are accepted, although this installation writes MACs, and no event says that an operator allowed it: run `cupel log require-macs`.'
  return [problemOfRow('table', { row: 'log.macs_required', since }, detail)]
}
