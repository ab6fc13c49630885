/** Rows that somebody with the owner's account of the database changes, each in a transaction that is rolled back. */
import { readModels } from '@cupel/operation/read-models'
import { ledgerTables, outOfReach, treeTables, statedTables, type Verified } from '@cupel/evidence/commands'
import { rolledBack } from './evidence.js'
import type { Kind } from './kinds.js'
import { said } from './log-kinds.js'
import { changeRow, type RowChange } from './row-changes.js'
import { faultsOf, namesLeaf } from './transparency-kinds.js'

type Findings = Pick<Verified, 'problems' | 'leaves'>
type IsNamed = (verified: Findings, table: string, change: RowChange) => boolean

/** A finding names the table and the key of the row. */
const namesRow: IsNamed = ({ problems }, table, { key }) =>
  problems.some(({ row }) => row === `${table} ${key}`)

/** Only sums tell that a row is another one, so that the finding names the ledger. */
const namesLedger: IsNamed = ({ problems }) => problems.some(({ row }) => row === 'ledger')

/** A leaf is named by its index or its record, a partition by its name, and another row as one of the database. */
const namesTree: IsNamed = (verified, table, { row }) =>
  table === 'transparency.leaf'
    ? namesLeaf(verified, Number(row['index'])) || namesOffset(verified, Number(row['record_offset']))
    : /[Dd]atabase|last leaf of|leaves \d+ to \d+/.test(faultsOf(verified)) ||
      (verified.leaves?.comparison?.problems ?? []).some(
        ({ topic, partition }) => topic === row['topic'] && partition === row['partition'],
      )

const namesOffset = ({ leaves }: Findings, of: number): boolean =>
  (leaves?.comparison?.problems ?? []).some(({ offset, to }) => offset <= of && of < to)

/** Every table that is compared, with the weight of its trials and what names a change of it. */
export const rowTargets: readonly {
  readonly surface: Kind['surface']
  readonly tables: readonly string[]
  readonly weight: number
  readonly isNamed: IsNamed
}[] = [
  {
    surface: 'views',
    tables: readModels.flatMap(({ schema, tables }) => tables.map((table) => `${schema}.${table}`)),
    ...{ weight: 2.5, isNamed: namesRow },
  },
  { surface: 'tables', tables: [...statedTables.keys()], weight: 5, isNamed: namesRow },
  { surface: 'ledger', tables: ledgerTables, weight: 1, isNamed: namesLedger },
  { surface: 'transparency', tables: treeTables, weight: 4, isNamed: namesTree },
]

export const rowKinds: readonly Kind[] = rowTargets.flatMap(({ surface, tables, weight, isNamed }) =>
  tables.map((table): Kind => ({
    ...{ surface, name: `a row of ${table}`, weight, command: 'cupel audit verify' },
    async run(evidence, random) {
      return await rolledBack(evidence.decided.database, async (transaction) => {
        const change = await changeRow(transaction, table, random)
        const verified = await evidence.audit({
          database: transaction,
          comparesRows: surface !== 'transparency',
        })
        return {
          isFound: verified.problemCount > 0,
          isNamed: isNamed(verified, table, change),
          detail: `${change.done}: ${said(verified)}`,
          outOfReach: outOfReach[`${table}.${change.column}`] ?? null,
        }
      })
    },
  })),
)
