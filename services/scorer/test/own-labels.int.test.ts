/** Own labels of an account count for its screens from their commit on, and for nobody else. */
import type { Report } from '@cupel/contracts'
import { differences, recompute } from '@cupel/domain'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openFollowed, type Installation } from './installation.js'
import { sharedInputs } from './shared-inputs.js'

const ADDRESS = '0x00000000000000000000000000000000000000ab'
const WAIT = { timeout: 60_000, interval: 20 }
let installation: Installation
beforeAll(async () => {
  installation = await openFollowed()
  const scorer = await installation.start()
  await vi.waitFor(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true), WAIT)
}, 120_000)
afterAll(async () => await installation.close())
beforeEach(async () => await installation.database.execute('DELETE FROM labels.own_label'))

async function block(
  over: { id?: string; address?: string; livemode?: boolean; expiresAt?: string | null } = {},
): Promise<void> {
  const { id = 'lbl_1', address = ADDRESS, livemode = true, expiresAt = null } = over
  await installation.database.execute(
    `INSERT INTO labels.own_label (label_id, account_id, livemode, decision, category, chain, address, canonical_address, lookup_keys,
       reason, stated_at, stated_by, actor, expires_at)
     VALUES ($1, 'acc_1', $2, 'block', 'stolen', 'ETH', $3, $3, ARRAY['evm:' || $3], 'secret words', now(), 'k', '', $4::timestamptz)`,
    [id, livemode, address, expiresAt],
  )
}

async function screened(
  over: { accountId?: string; livemode?: boolean; chain?: string; address?: string } = {},
) {
  const { address = ADDRESS, chain = 'ETH', accountId = 'acc_1', livemode = true } = over
  const id = await installation.request(address, chain, { accountId, livemode })
  const [first] = await vi.waitFor(async () => {
    const answers = await installation.answers(id, livemode)
    expect(answers.length).toBeGreaterThan(0)
    return answers
  }, WAIT)
  if (first?.type !== 'ReportGenerated') throw new Error(`${id} has no report`)
  expect(JSON.stringify(first)).not.toContain('secret words')
  const shared = await sharedInputs(installation, first.data)
  expect(differences(first.data, recompute(structuredClone(first.data), shared))).toEqual([])
  return (JSON.parse(first.data.report) as Report).risk
}

test('the next screen of the account has the label, on every chain of the key, and that of another account has not', async () => {
  expect((await screened()).score).toBe(0)
  await block()
  const risk = await screened()
  expect(risk).toMatchObject({ level: 'red', score: 85.5 })
  expect(risk.evidence).toMatchObject([{ source: 'own_label', entity: 'Own block label', decisive: true }])
  expect((await screened({ chain: 'BSC' })).level).toBe('red')
  expect((await screened({ accountId: 'acc_2' })).evidence).toEqual([])
})

test('a removed label counts no more, and an expired one is shown as ended', async () => {
  await block({ expiresAt: new Date(Date.now() - 1).toISOString() })
  expect(await screened()).toMatchObject({ score: 0, evidence: [{ reason: 'ended', used: false }] })
  await installation.database.execute(`UPDATE labels.own_label SET removed_at = now(), removed_by = 'k'`)
  expect(await screened()).toMatchObject({ score: 0, evidence: [] })
})

test('live and sandbox are apart', async () => {
  await block({ livemode: false })
  expect((await screened()).score).toBe(0)
  expect((await screened({ livemode: false })).score).toBe(85.5)
})
