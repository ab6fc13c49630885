/** Rows that somebody with the owner's account of the database changes, each in a transaction that is rolled back. */
import type { Database } from '@cupel/postgres'
import { rolledBack, type Evidence } from './evidence.js'
import type { Verified } from '../../src/audit/verify.js'
import { below, oneOf, type Found, type Kind, type Random } from './kinds.js'
import { said } from './log-kinds.js'
import { rowChanges } from './primary-rows.js'

interface Row {
  readonly report_id: string
  readonly log_offset: number
}

/** What is done to one row of the report view; `id` is the parameter $1. */
const changes: Readonly<Record<string, string>> = {
  'another text': `document = overlay(document placing 'X' from 20)`,
  'another level': `level = CASE level WHEN 'green' THEN 'red' ELSE 'green' END`,
  'another score': `score = score + 0.01`,
  'dated back': `ended_at = ended_at - interval '1 day'`,
  'of another tenant': `account_id = 'acc_7'`,
  'of another environment': `livemode = NOT livemode`,
  'another address': `canonical_address = '0x' || canonical_address`,
  'another owner': `owner_key = 'evm:0x' || owner_key`,
  'another chain': `chain = 'TRON'`,
  'of a bulk job': `job_id = 'job_1', job_index = 3`,
  'another offset': `log_offset = log_offset + 1`,
}

function kindOf(
  name: string,
  change: (database: Database, row: Row, random: Random) => Promise<unknown>,
): Kind {
  return {
    ...{ surface: 'views', name, weight: 0.7, command: 'cupel audit verify' },
    async run(evidence: Evidence, random) {
      const { database } = evidence.decided
      const rows = await database.query<Row>(
        'SELECT report_id, log_offset FROM report_view.report ORDER BY report_id',
      )
      const row = oneOf(random, rows)
      const verified = await rolledBack(database, async (transaction) => {
        await change(transaction, row, random)
        return await evidence.audit({ database: transaction, comparesRows: true })
      })
      return foundRow(
        verified,
        name === 'inserted' ? 'report_view.report ' : `report_id=${row.report_id}`,
        name,
      )
    },
  }
}

function foundRow(verified: Verified, row: string, done: string): Found {
  return {
    isFound: verified.problemCount > 0,
    isNamed: verified.problems.some((problem) => problem.row?.includes(row) === true),
    detail: `${done} ${row}: ${said(verified)}`,
  }
}

const INSERT = `INSERT INTO report_view.report SELECT (jsonb_populate_record(r, jsonb_build_object('report_id', $2::text, 'log_offset', $3::int8))).*
  FROM report_view.report r WHERE report_id = $1`

export const viewKinds: readonly Kind[] = [
  ...Object.entries(changes).map(([name, set]) =>
    kindOf(name, (database, { report_id: id }) =>
      database.execute(`UPDATE report_view.report SET ${set} WHERE report_id = $1`, [id]),
    ),
  ),
  kindOf('removed', (database, { report_id: id }) =>
    database.execute('DELETE FROM report_view.report WHERE report_id = $1', [id]),
  ),
  kindOf('inserted', (database, { report_id: id, log_offset: offset }, random) =>
    database.execute(INSERT, [
      id,
      below(random, 2 ** 31)
        .toString(16)
        .padStart(16, '0'),
      offset,
    ]),
  ),
  kindOf('two texts exchanged', (database, { report_id: id }) =>
    database.execute(
      `UPDATE report_view.report r SET document = o.document FROM report_view.report o
        WHERE r.report_id = $1 AND o.report_id = (SELECT min(report_id) FROM report_view.report WHERE report_id <> $1)`,
      [id],
    ),
  ),
  kindOf('an older backup restored', (database, row) =>
    database.execute(
      'DELETE FROM report_view.report WHERE ended_at >= (SELECT ended_at FROM report_view.report WHERE report_id = $1)',
      [row.report_id],
    ),
  ),
  ...rowChanges.map(({ name, table, statements }): Kind => {
    return {
      ...{ surface: 'tables', name, weight: 0.3, command: 'cupel audit verify' },
      async run(evidence) {
        const verified = await rolledBack(evidence.decided.database, async (transaction) => {
          for (const statement of statements) await transaction.execute(statement)
          return await evidence.audit({ database: transaction, comparesRows: true })
        })
        return foundRow(verified, `${table} `, name)
      },
    }
  }),
]
