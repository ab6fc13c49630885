/** Everything in the database that the log states outside of read models: primary tables and the ledger. */
import { type AuthenticLog, type EventCodec, LogStoppedError } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { compareLedger } from '@cupel/ledger'
import type { Acceptance } from '../../../transparency/index.js'
import { problemOfRow, type Problem } from '../../../proofs/index.js'

import { comparePrimaryTables } from './compare-primary-tables.js'

interface Parts {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  readonly database: Database
  readonly acceptances: readonly Acceptance[]
}

/** A log that lost records states too little: that nothing was compared is a problem by itself. */
export async function compareTables(parts: Parts): Promise<readonly Problem[]> {
  try {
    const ledger = await compareLedger(parts)
    return [
      ...(await comparePrimaryTables(parts)),
      ...ledger.map((sentence) => problemOfRow('table', { row: 'ledger' }, sentence)),
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
