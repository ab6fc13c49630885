/** Own labels of an account are inputs like those of lists: they are read again for a report, and for a screen as of a past moment. */
import type { ReportGenerated } from '@cupel/contracts'
import { parseAddress, screenedAddress } from '@cupel/domain'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPastSource, recomputeReports, screenAsOf } from '../../src/proofs/index.js'
import { ACCOUNT, openDeciding, type Deciding } from './deciding.js'

const ADDRESS = '0x00000000000000000000000000000000000000ab'
let deciding: Deciding
beforeAll(async () => {
  deciding = await openDeciding()
  await deciding.importLabelText(
    `address,chain,category,entity,source,source_url,confidence,observed_at\n0x0000000000000000000000000000000000000001,ETH,scam,Somebody,my_list,,0.8,2026-01-01\n`,
  )
})
afterAll(async () => await deciding.installation.close())
beforeEach(async () => await deciding.installation.database.execute('DELETE FROM labels.own_label'))

/** Times are minutes from now. */
async function state(
  over: { id?: string; account?: string; at?: number; expires?: number | null; removed?: number | null } = {},
): Promise<void> {
  const { id = 'lbl_1', account = ACCOUNT, at = -5, expires = null, removed = null } = over
  await deciding.installation.database.execute(
    `INSERT INTO labels.own_label (label_id, account_id, livemode, decision, category, chain, address, canonical_address, lookup_keys,
       reason, stated_at, stated_by, actor, expires_at, removed_at, removed_by)
     SELECT $1, $2, true, 'block', 'scam', 'ETH', $3, $3, ARRAY['evm:' || $3], '', now + make_interval(mins => $4), 'k', '',
       now + make_interval(mins => $5), now + make_interval(mins => $6), CASE WHEN $6::int IS NULL THEN NULL ELSE 'k' END
     FROM date_trunc('milliseconds', clock_timestamp()) AS now`,
    [id, account, ADDRESS, at, expires, removed],
  )
}

let decided = 0
const decide = () =>
  deciding.decide({
    address: ADDRESS,
    chain: 'ETH',
    reportId: `00000000000${(++decided).toString(16).padStart(3, '0')}a1`,
  })

async function asOf(at: string): Promise<{ readonly score: number; readonly level: string }> {
  const parsed = parseAddress(ADDRESS, 'ETH')
  if (!parsed.ok) throw new Error(parsed.detail)
  const { log, codec, database } = deciding.installation
  const owner = { accountId: ACCOUNT, livemode: true }
  const request = { ...screenedAddress(parsed), ...owner, customerReference: null, asOf: at }
  const found = await screenAsOf(createPastSource({ log, codec, database }), request, () => null)
  if (typeof found === 'string') throw new Error(`There were no ${found} yet`)
  return found.report.risk
}

async function levelB(data: ReportGenerated): Promise<'same' | 'differs'> {
  await deciding.append(data)
  const { database, log, codec } = deciding.installation
  const asked = { levels: ['B'], maxFindings: 1, reportId: data.reportId } as const
  const { levels } = await recomputeReports({ database, log, codec, ...asked })
  expect(levels.B).toMatchObject({ failed: 0 })
  return levels.B!.same === 1 ? 'same' : 'differs'
}

test('a report rests on the labels of its account, and a screen as of its moment is the same', async () => {
  await state()
  await state({ id: 'lbl_2', account: 'acc_other' })
  const report = await decide()
  expect(report).toMatchObject({ level: 'red', score: 81 })
  expect(report.inputs.labels.map(({ labelId }) => labelId)).toEqual(['lbl_1'])
  expect(await levelB(report)).toBe('same')
  expect(await asOf(report.generatedAt)).toMatchObject({ level: 'red', score: 81 })
})

test('a label that expired or was removed counted before, and counts no more', async () => {
  // Before this moment there were no lists.
  await state({ at: 1, removed: 3 })
  await state({ id: 'lbl_2', at: 4, expires: 5 })
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const scores = await Promise.all(
    [2, 3.5, 4.5, 6].map(async (minutes) => (await asOf(inMinutes(minutes))).score),
  )
  expect(scores).toEqual([81, 0, 81, 0])
})

test.each([
  ['was altered', `UPDATE labels.own_label SET category = 'mixer'`],
  ['is gone', 'DELETE FROM labels.own_label'],
  ['is another account’s now', `UPDATE labels.own_label SET account_id = 'acc_other'`],
  [
    'was removed long before, by its row',
    `UPDATE labels.own_label SET removed_at = now() - interval '4 minutes', removed_by = 'k'`,
  ],
])('a report differs if the row of its label %s', async (_what, statement) => {
  await state()
  const report = await decide()
  await deciding.installation.database.execute(statement)
  expect(await levelB(report)).toBe('differs')
})

test('a report differs if a row says that a label was there long before', async () => {
  const report = await decide()
  await state()
  expect(await levelB(report)).toBe('differs')
})

test('a label that was stated or removed at the moment of the decision may be in the report or not', async () => {
  await state({ at: 0 })
  const report = await decide()
  await deciding.installation.database.execute(
    `UPDATE labels.own_label SET removed_at = clock_timestamp(), removed_by = 'k'`,
  )
  expect(await levelB(report)).toBe('same')
  expect(await levelB({ ...report, inputs: { ...report.inputs, labels: [] } })).toBe('same')
})
