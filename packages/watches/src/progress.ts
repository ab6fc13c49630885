/** Follows the state of labels, ledger, policy and scorer, and marks the watches that a new state can affect. */
import { asFields, type Database, type Queryable } from '@cupel/postgres'
import { markTouched, type FindTouched, type WatchedState } from './touched.js'

/**
 * Compares the current state with the one that every watch was checked against, and marks the affected watches, in one
 * transaction: a crash in between marks the same watches again. Resolves to the number of marked watches; null if nothing changed.
 * `findTouched`: absent, a segment affects every watch of its chain.
 */
export async function lookForNews(
  database: Database,
  scorerVersion: string,
  findTouched: FindTouched = () => Promise.resolve('all'),
): Promise<number | null> {
  const { hops, ...state } = await readState(database)
  const to = { ...state, scorerVersion }
  const known = await readProgress(database)
  if (known !== null && isSame(known, to)) return null
  return await database.transaction({ at: 'watches.touched' }, async (transaction) => {
    const from = await readProgress(transaction, 'FOR UPDATE')
    // Before the first check no decision used an earlier state: every new watch is already due.
    const marked = from === null ? 0 : await markTouched(transaction, { from, to, hops, findTouched })
    await transaction.execute(
      `INSERT INTO watches.progress (label_set_seq, ledger_seq, policy_seq, scorer_version) VALUES ($1, $2, $3, $4)
       ON CONFLICT (only_row) DO UPDATE SET label_set_seq = excluded.label_set_seq, ledger_seq = excluded.ledger_seq,
         policy_seq = excluded.policy_seq, scorer_version = excluded.scorer_version`,
      [to.labelSetSeq, to.ledgerSeq, to.policySeq, to.scorerVersion],
    )
    return marked
  })
}

interface PresentState extends Omit<WatchedState, 'scorerVersion'> {
  /** Maximum number of transfers in a path, according to the policy in force. */
  readonly hops: number
}

/** More than any policy has. */
const MOST_HOPS = 4

/** The present state of labels, ledger and policy, as columns. */
export const PRESENT_STATE = `(SELECT coalesce(max(label_set_seq), 0) FROM label_view.publication) AS "labelSetSeq",
  (SELECT coalesce(max(ledger_seq), 0) FROM ledger.segment) AS "ledgerSeq",
  (SELECT coalesce(max(policy_seq), 0) FROM policy_view.activation) AS "policySeq"`

/** One statement: labels and policy of one moment. */
async function readState(database: Queryable): Promise<PresentState> {
  const [row] = await database.query<PresentState>({
    name: 'watches.state',
    text: `SELECT ${PRESENT_STATE},
             coalesce((SELECT (document::json #>> '{exposure,hops}')::int4 FROM policy_view.activation
                       ORDER BY policy_seq DESC LIMIT 1), ${MOST_HOPS}) AS hops`,
  })
  if (row === undefined) throw new Error('The state of labels and ledger could not be read')
  return row
}

async function readProgress(database: Queryable, lock = ''): Promise<WatchedState | null> {
  const [row] = await database.query<WatchedState>(
    `SELECT ${asFields('label_set_seq, ledger_seq, policy_seq, scorer_version')} FROM watches.progress ${lock}`,
  )
  return row ?? null
}

export function isSame(a: WatchedState, b: WatchedState): boolean {
  return (
    a.labelSetSeq === b.labelSetSeq &&
    a.ledgerSeq === b.ledgerSeq &&
    a.policySeq === b.policySeq &&
    a.scorerVersion === b.scorerVersion
  )
}
