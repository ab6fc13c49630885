/** Whether there is work for watches, in one statement: several looks a second mostly find none. */
import type { Queryable } from '@cupel/postgres'
import { IS_DUE, TENANTS } from './due.js'
import { isSame, PRESENT_STATE } from './progress.js'
import { ownReport } from './settle.js'
import type { WatchedState } from './touched.js'

export interface WatchWork {
  /** The state differs from the one that every watch was checked against: `lookForNews` marks watches. */
  readonly hasNews: boolean
  /** A watch is due. If its account has as many pending screenings as it may have, `listDueWatches` returns none. */
  readonly hasDue: boolean
  /** A pending watch has its report, or will get none: `settleWatches` ends the screening. */
  readonly hasEnded: boolean
}

type Row = Omit<WatchedState, 'scorerVersion'> & {
  readonly known: WatchedState | null
  readonly hasDue: boolean
  readonly hasEnded: boolean
}

export async function lookAtWatches(database: Queryable, scorerVersion: string): Promise<WatchWork> {
  const [row] = await database.query<Row>(LOOK)
  if (row === undefined) throw new Error('The state that watches compare could not be read')
  const { known, hasDue, hasEnded, ...state } = row
  return { hasNews: known === null || !isSame(known, { ...state, scorerVersion }), hasDue, hasEnded }
}

/**
 * The order makes each part read the index that contains only due or only pending watches, even with statistics from a time when all
 * were. Postgres ignores the order within `EXISTS`.
 */
const LOOK = {
  name: 'watches.look',
  text: `${TENANTS} SELECT ${PRESENT_STATE},
    (SELECT json_build_object('labelSetSeq', label_set_seq, 'ledgerSeq', ledger_seq, 'policySeq', policy_seq,
       'scorerVersion', scorer_version) FROM watches.progress) AS known,
    (SELECT true FROM tenant CROSS JOIN LATERAL (
       SELECT FROM watches.watch w
       WHERE w.account_id = tenant.account_id AND w.livemode = tenant.livemode AND ${IS_DUE}
       ORDER BY w.due_at LIMIT 1) d
     LIMIT 1) IS NOT NULL AS "hasDue",
    (SELECT true FROM watches.watch w CROSS JOIN LATERAL (${ownReport('w.pending_report_id')}) r
     WHERE w.pending_report_id IS NOT NULL ORDER BY w.pending_report_id LIMIT 1) IS NOT NULL AS "hasEnded"`,
}
