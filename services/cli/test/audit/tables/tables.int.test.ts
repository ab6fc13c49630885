/** Somebody with the owner's account of the database changes rows: `audit verify` compares every table that states something with the log. */
import { decidedEventId, LATEST_REPORTS_GROUP, topicOf, type ReportGenerated } from '@cupel/contracts'
import { endsOf, withMac } from '@cupel/event-log'
import { putCheckpoints } from '@cupel/projections'
import {
  latestReportRecord,
  latestReportsOf,
  reportedAddressesOf,
  type LatestReport,
} from '@cupel/reports/read-model'
import { readModels } from '@cupel/operation/read-models'
import type { Database } from '@cupel/postgres'
import type { Problem } from '@cupel/evidence/proofs'
import { casesWithin, numbersOf, runSeed } from '@cupel/testkit'
import { testRecordKeys } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../../decided.js'
import { MIXED, SANCTIONED, UNLISTED } from '../../some-labels.js'
import { forgetTables } from '@cupel/personal-data/commands'
import { rolledBack } from '../../tampering/evidence.js'
import { makeRows } from '../../tampering/made-rows.js'
import { changeRow, type RowChange } from '../../tampering/row-changes.js'
import { rowTargets } from '../../tampering/row-kinds.js'
import { createContext } from '@cupel/command-line'
import { verifyConnected, ledgerTables, outOfReach, treeTables, statedTables } from '@cupel/evidence/commands'

let decided: Decided
let report: ReportGenerated
beforeAll(async () => {
  decided = await openDecided()
  await decided.importLabels('sdn', [SANCTIONED.row, MIXED.row])
  report = await decided.screen(SANCTIONED.address, 'ETH')
  await decided.screen(UNLISTED.address, 'ETH')
  await makeRows(decided, report)
})
afterAll(() => decided.close())

interface Verified {
  readonly problems: readonly {
    readonly kind: string
    readonly row: string | null
    readonly detail: string
  }[]
}

async function verify(): Promise<Verified & { exitCode: number }> {
  const { out, exitCode } = await decided.cupel('audit', 'verify', '--json')
  return { ...(JSON.parse(out) as Verified), exitCode }
}

test('every table of the database is compared with the log, or says what shows a change of it', async () => {
  const tables = await decided.database.query<{ name: string }>(
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  const compared = [
    ...readModels.flatMap(({ schema, tables: names }) => names.map((name) => `${schema}.${name}`)),
    ...[...statedTables.keys(), ...ledgerTables, ...treeTables],
    ...Object.keys(outOfReach).filter((name) => name.split('.').length === 2),
  ]
  expect(tables.map(({ name }) => name).sort()).toEqual([...new Set(compared)].sort())
  expect(compared).toHaveLength(tables.length)
})

test('what nobody changed has no problem', async () => {
  expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
})

test.each([
  ['takes no writes', ['SET TRANSACTION READ ONLY']],
  [
    'has a user who may only read',
    ['CREATE ROLE auditor BYPASSRLS', 'GRANT pg_read_all_data TO auditor', 'SET LOCAL ROLE auditor'],
  ],
])('a database that %s has no compared read models, and the answer says so', async (_name, statements) => {
  expect(await problemsAfter(statements)).toMatchObject([
    { kind: 'read-model', row: 'every read model', detail: expect.stringContaining('replica') as string },
  ])
})

/** The problems of a database that the statements change, in a transaction that is rolled back. */
async function problemsAfter(
  statements: readonly string[],
  change: (transaction: Database) => Promise<void> = async () => undefined,
): Promise<readonly Problem[]> {
  const { log, codec, database } = decided
  const context = createContext(decided.environment, [])
  const config = await context.config()
  return await rolledBack(database, async (transaction) => {
    for (const statement of statements) await transaction.execute(statement)
    await change(transaction)
    const connections = { log, codec, config, database: transaction, checksMacs: true }
    return (await verifyConnected(context, { json: true }, { publicKeys: null, graceMs: 0, connections }))
      .problems
  })
}

test('a verification that fails ends its other work first, and leaves no tables behind', async () => {
  const { log, codec, database } = decided
  const context = createContext(decided.environment, [])
  const unchecked = {
    ...log.unchecked,
    // oxlint-disable-next-line require-yield
    async *read(): AsyncGenerator<never> {
      throw new Error('the log went away')
    },
  }
  const connections = { log: { ...log, unchecked }, codec, config: await context.config(), database }
  await expect(
    verifyConnected(
      context,
      { json: true },
      { publicKeys: null, graceMs: 0, connections: { ...connections, checksMacs: true } },
    ),
  ).rejects.toThrow('the log went away')
  const left = `SELECT nspname FROM pg_namespace WHERE nspname LIKE '%rebuild' UNION ALL SELECT 'a lock' FROM pg_locks
    JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = current_database()`
  expect(await database.query(left)).toEqual([])
})

const changedTables = rowTargets
  .filter(({ surface }) => surface !== 'transparency')
  .flatMap(({ tables, ...target }) => tables.map((table) => ({ table, ...target })))
const changes = { name: 'changed rows', full: 10 * changedTables.length, minimum: changedTables.length }
/** A change takes a fifth of a second, and the machine may have other work. */
const HANG_MS = 900_000

test('a change of any row of any table is found and named', { timeout: HANG_MS }, async () => {
  const seed = runSeed()
  for (const number of casesWithin(changes, seed)) {
    const { table, isNamed } = changedTables[number % changedTables.length]!
    let change: RowChange | null = null
    const problems = await problemsAfter([], async (transaction) => {
      change = await changeRow(transaction, table, numbersOf(seed + number))
    })
    const { done, column } = change as unknown as RowChange
    if (problems.length === 0 && outOfReach[`${table}.${column}`] !== undefined) continue
    expect([done, problems, isNamed({ problems, leaves: null }, table, change as never)]).toEqual([
      ...[done, expect.anything(), true],
    ])
  }
})

test(
  'a change of each column of an import is found, or has the reason why not',
  { timeout: HANG_MS },
  async () => {
    const table = 'ledger.segment'
    const columns = await decided.database.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [table],
    )
    const random = numbersOf(runSeed())
    for (const { name } of columns) {
      const change = async (transaction: Database) => void (await changeRow(transaction, table, random, name))
      const isFound = (await problemsAfter([], change)).length > 0
      expect([name, isFound || outOfReach[`${table}.${name}`] !== undefined]).toEqual([name, true])
    }
  },
)

test.each([
  ['address', `'0x2'`],
  ['chain', `'BSC'`],
  ['level', `'green'`],
  ['score', '0'],
])('another %s of a case than its report has is found, and its time is named', async (column, value) => {
  expect(await problemsAfter([`UPDATE cases.report_case SET ${column} = ${value}`])).toMatchObject([
    {
      row: `cases.report_case report_id=${report.reportId}`,
      detail: expect.stringContaining(`with another ${column} than`) as string,
      since: expect.stringMatching(/^20\d\d-.*Z$/) as string,
    },
  ])
})

test.each([
  ['removed', 'DELETE FROM watches.watch', /^watches.watch lacks the row/],
  [
    'made to end',
    `UPDATE watches.watch SET until = '2026-11-23T03:00:00Z'`,
    /with another until than the log/,
  ],
  ['moved to another chain', `UPDATE watches.watch SET chain = 'BSC'`, /with another chain than the log/],
])('watches that were %s are found', async (_what, statement, detail) => {
  const problems = await problemsAfter([statement])
  expect(problems.map((problem) => problem.detail)).toEqual([
    expect.stringMatching(detail),
    expect.stringMatching(detail),
  ])
})

test.each([
  ['fewer', 'opens = opens - 1'],
  ['none', 'opens = 0, last_opened_at = NULL'],
  ['the last one earlier', `last_opened_at = last_opened_at - interval '1 hour'`],
])('openings of a shared report that are told as %s are found', async (_what, change) => {
  expect(await problemsAfter([`UPDATE sharing.share SET ${change} WHERE opens > 0`])).toMatchObject([
    { kind: 'table', row: expect.stringContaining('sharing.share share_id=') as string },
  ])
})

test('a row that is written and whose event waits for the log is one that an event states', async () => {
  const row = `INSERT INTO access.account VALUES ('acc_waiting', 'x', '2026-11-23T02:00:00Z', 'test')`
  expect(await problemsAfter([row])).toMatchObject([{ row: 'access.account account_id=acc_waiting' }])
  const data = {
    ...{ accountId: 'acc_waiting', name: 'x', createdBy: 'test', reason: '' },
    createdAt: '2026-11-23T02:00:00.000Z',
  }
  const event = JSON.stringify({ type: 'AccountCreated', data, envelope: {} })
  expect(
    await problemsAfter([
      row,
      `INSERT INTO projection.outbox (topic, key, event) VALUES ('t', 'k', '${event}')`,
    ]),
  ).toEqual([])
})

test('the words that an erasure leaves cause a problem only in an account that was not erased', async () => {
  const [{ id }] = (await decided.database.query<{ id: string }>(
    'SELECT account_id AS id FROM sharing.share LIMIT 1',
  )) as [{ id: string }]
  const erase = (transaction: Database) => forgetTables(transaction, id)
  expect((await problemsAfter([], erase)).length).toBeGreaterThan(0)
  const data = {
    ...{ scope: 'account', accountId: id, period: '', keyIds: [], plainRecords: null },
    ...{ erasedAt: '2026-11-23T02:00:00.000Z', erasedBy: 'test', reason: '' },
  }
  const event = JSON.stringify({ type: 'PersonalDataErased', data, envelope: {} })
  const recorded = `INSERT INTO projection.outbox (topic, key, event) VALUES ('t', 'k', '${event}')`
  expect(await problemsAfter([recorded], erase)).toEqual([])
})

test.each([
  ['refused', 'refuse', '', /whose proposal was refused/],
  ['never decided', null, '', /whose proposal nobody confirmed/],
  ['of nobody', 'confirm', 'another', /which no proposal states/],
  ['confirmed', 'confirm', '', null],
])('a policy in the log whose proposal is %s', async (_what, decision, other, said) => {
  const { statements, activation } = proposal(decision)
  const activated = { ...activation, envelope: { id: `${activation.envelope.id}${other}` } }
  const problems = await problemsAfter([...statements, waiting(activated)])
  const found = { row: expect.stringContaining('access.proposed_change') as string, since: AT }
  expect(problems).toMatchObject(
    said === null ? [] : [{ kind: 'table', ...found, detail: expect.stringMatching(said) as string }],
  )
})

test.each([
  ['after', 1, '2026-11-23T01:00:00.000Z'],
  ['before', 0, '2026-11-23T03:00:00.000Z'],
])('a refused policy from %s a restore with losses is %i problem', async (_when, count, restoredAt) => {
  const { statements, activation } = proposal('refuse')
  const restored = { type: 'InstallationRestored', data: { lost: ['a key'], restoredAt }, envelope: {} }
  expect(await problemsAfter([...statements, waiting(restored), waiting(activation)])).toHaveLength(count)
})

const AT = '2026-11-23T02:00:00.000Z'
const waiting = (event: object): string =>
  `INSERT INTO projection.outbox (topic, key, event) VALUES ('t', 'k', '${JSON.stringify(event)}')`

/** A proposal of a policy with its decision, as rows and events, and the event that puts it in force. */
function proposal(decision: string | null) {
  const [changeId, accountId, proposedBy] = ['chg_00000000000000000001', 'acc_test', 'key_1']
  const proposed = {
    ...{ changeId, accountId, ofAccountId: accountId, livemode: true, kind: 'activate_policy', change: '{}' },
    ...{ basedOn: '', reason: '', proposedBy, holder: '', actor: '', subject: '', proposedAt: AT },
  }
  const decided = { changeId, accountId, decision, decidedBy: 'key_2', actor: '', decidedAt: AT }
  const policy = { policyId: 'p', version: 1, document: '{}', sha256: '' }
  return {
    statements: [
      `INSERT INTO access.proposed_change (change_id, account_id, livemode, kind, change, based_on, reason, proposed_by, holder, actor, subject,
         proposed_at, proposer_account_id) VALUES ('${changeId}', '${accountId}', true, 'activate_policy', '{}', '', '', '${proposedBy}', '', '', '', '${AT}', '${accountId}')`,
      waiting({ type: 'ChangeProposed', data: proposed, envelope: {} }),
      ...(decision === null
        ? []
        : [
            `UPDATE access.proposed_change SET decision = '${decision}', decided_by = 'key_2', decider = '', decider_account_id = '${accountId}', decided_at = '${AT}'
               WHERE change_id = '${changeId}'`,
            waiting({ type: 'ProposedChangeDecided', data: decided, envelope: {} }),
          ]),
    ],
    activation: {
      type: 'PolicyActivated',
      data: { ...policy, activatedBy: 'key key_2', reason: '', activatedAt: AT },
      envelope: { id: decidedEventId('policy.proposal', `${changeId} of key ${proposedBy}`) },
    },
  }
}

test('the command ends with 1 and names the row', async () => {
  const { database } = decided
  const move = (by: string) =>
    database.execute(`UPDATE cases.report_case SET changed_at = changed_at + interval '${by}'`)
  await move('1 day')
  const { exitCode, out } = await decided.cupel('audit', 'verify')
  await move('-1 day')
  expect([exitCode, out]).toEqual([
    1,
    expect.stringContaining(`cases.report_case report_id=${report.reportId}`),
  ])
  expect(out).toContain('with another changed_at than the log states')
})

test('changed, missing and invented values of the topic of latest reports are named', async () => {
  const { database, codec, log } = decided
  const reports: LatestReport[] = []
  for await (const addresses of reportedAddressesOf(database, report.accountId))
    reports.push(...(await latestReportsOf(database, addresses)))
  expect(reports).toHaveLength(2)
  const ends = await endsOf(log, [topicOf('ReportGenerated', true), topicOf('ReportGenerated', false)])
  const positions = ends.map(({ topic, partition, offset: next }) => ({ topic, partition, next }))
  await putCheckpoints(database, { group: LATEST_REPORTS_GROUP, log: await log.identity(), positions })
  const append = (changed: object, of = reports[0]!) =>
    log.append('test', [latestReportRecord(codec, { ...of, ...changed })])
  const [one, other] = reports
  await append({}, one)
  expect((await verify()).problems).toMatchObject([
    { kind: 'table', detail: expect.stringContaining('lacks') as string },
  ])
  await append({}, other)
  expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
  for (const changed of [{ level: 'green' }, { score: 1 }, { reportId: 'ffff' }]) {
    await append(changed)
    const said = { kind: 'state', since: expect.any(String) as string }
    expect(await verify()).toMatchObject({ exitCode: 1, problems: [said] })
  }
  await append({})
  const invented = latestReportRecord(codec, { ...one!, canonicalAddress: '0xinvented' })
  await log.append('test', [invented])
  expect((await verify()).problems).toMatchObject([
    { kind: 'state', detail: expect.stringContaining('an address without a report') as string },
  ])
  await log.append('test', [withMac(testRecordKeys, { ...invented, value: Buffer.alloc(0) } as never)])
  expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
})
