/** A policy whose proposal is in the database, and of which the log lost the event with an accepted loss. */
import { prepareDatabase } from '@cupel/command-line/installation'
import { decidedEventId, silentLogger, topicOf } from '@cupel/contracts'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { comparePrimaryTables } from './compare-primary-tables.js'

const [CHANGE, PROPOSER] = ['chg_00000000000000000001', 'key_1']
const [PROPOSED, ACCEPTED, DECIDED] = ['01', '02', '03'].map((hour) => `2026-11-23T${hour}:00:00.000Z`)

let installation: TestInstallation
beforeAll(async () => {
  installation = await openTestInstallation()
  await prepareDatabase(installation.database, silentLogger)
})
afterAll(() => installation.close())

async function problemsOf(proposedAt: string, decision: string | null): Promise<readonly string[]> {
  const { database, log, codec } = installation
  await database.execute('TRUNCATE access.proposed_change, projection.outbox')
  const isDecided =
    decision === null ? [null, null, null, null, null] : [decision, 'key_2', '', 'acc_test', DECIDED]
  await database.execute(
    `INSERT INTO access.proposed_change (change_id, account_id, livemode, kind, change, based_on, reason, proposed_by, holder, actor,
       subject, proposed_at, proposer_account_id, decision, decided_by, decider, decider_account_id, decided_at)
     VALUES ($1, 'acc_test', true, 'activate_policy', '{}', '', '', $2, '', '', '', $3, 'acc_test', $4, $5, $6, $7, $8)`,
    [CHANGE, PROPOSER, proposedAt, ...isDecided],
  )
  const policy = { policyId: 'p', version: 1, document: '{}', sha256: '', reason: '', activatedAt: DECIDED }
  const decided = {
    changeId: CHANGE,
    accountId: 'acc_test',
    decision,
    decidedBy: 'key_2',
    actor: '',
    decidedAt: DECIDED,
  }
  const id = decidedEventId('policy.proposal', `${CHANGE} of key ${PROPOSER}`)
  for (const event of [
    ...(decision === null ? [] : [{ type: 'ProposedChangeDecided', data: decided, envelope: {} }]),
    { type: 'PolicyActivated', data: { ...policy, activatedBy: 'key key_2' }, envelope: { id } },
  ])
    await database.execute(`INSERT INTO projection.outbox (topic, key, event) VALUES ('t', 'k', $1)`, [
      JSON.stringify(event),
    ])
  const lost = [{ topic: topicOf('ChangeProposed'), partition: 0, from: 0, to: 1 }]
  const acceptance = {
    lost,
    leaves: [],
    log: '',
    acceptedAt: ACCEPTED!,
    acceptedBy: '',
    reason: '',
    signature: '',
  }
  const problems = await comparePrimaryTables({ log, codec, database, acceptances: [acceptance] })
  return problems.map(({ detail }) => detail)
}

test('a proposal from before the loss counts by its row, and its confirmation only by the log', async () => {
  expect(await problemsOf(PROPOSED!, 'confirm')).toEqual([])
  for (const [decision, why] of [
    ['refuse', 'whose proposal was refused'],
    [null, 'whose proposal nobody confirmed'],
  ] as const)
    expect(await problemsOf(PROPOSED!, decision)).toEqual([expect.stringContaining(why)])
})

test('a row of a proposal from after the loss is one that the log does not state', async () => {
  expect(await problemsOf(DECIDED!, 'confirm')).toContainEqual(
    expect.stringContaining('which no proposal states'),
  )
})
