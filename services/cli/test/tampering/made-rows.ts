/** Rows of every table that is compared with the log, made as services and operators make them. */
import { changeKey, revokeKey, rotateKey } from '@cupel/gate/access'
import { decideChange, proposeChange } from '@cupel/gate/second-person'
import { addNote, assignCase, attachFile, setDisposition } from '@cupel/cases'
import { topicOf, type ReportGenerated } from '@cupel/contracts'
import { parseAddress } from '@cupel/domain'
import { removeOwnLabel, stateOwnLabel } from '@cupel/labels'
import { createShare, openShare, revokeShare } from '@cupel/sharing'
import { until } from '@cupel/testkit'
import { issueTestKey, testEvent } from '@cupel/testkit/installation'
import { createWatches, newBatchId } from '@cupel/watches'
import { changeEndpoint, createEndpoint } from '@cupel/webhooks'
import { expect } from 'vitest'
import type { Decided } from '../decided.js'
import { MIXED, SANCTIONED } from '../some-labels.js'

const callOf = (requestId: string) =>
  ({
    ...{ requestId, keyId: 'k', scope: 'read-write', clientAddress: '192.0.2.1', method: 'POST' },
    ...{ route: '/v1/reports', status: 200, latencyMs: 1, at: '2026-11-23T02:00:00.000Z', actor: '' },
  }) as never

/** Resolves once the log has the events of every row, and each view its rows. */
export async function makeRows(decided: Decided, report: ReportGenerated): Promise<void> {
  await makePrimaryRows(decided, report)
  await makeLedgerRows(decided)
  await decided.importLabels('mixed', [MIXED.row, MIXED.row.replace('Some', 'Other')])
  await decided.importLabels('mixed', [MIXED.row], '--accept-removals', '1', '--reason', 'It was wrong.')
  await makeJob(decided, report)
  const views = [
    'case_view.report_case',
    'job_view.job',
    'label_view.retirement',
    'audit_view.entry',
    'inbox_view.inbox_entry',
  ]
  await until(async () => {
    for (const view of views)
      expect([view, await decided.database.query(`SELECT FROM ${view}`)]).not.toEqual([view, []])
    expect(await decided.database.query('SELECT FROM projection.outbox WHERE relayed_at IS NULL')).toEqual([])
  })
}

/** Accounts, keys, links, endpoints and a case. */
async function makePrimaryRows(
  { database }: Decided,
  { reportId, address, chain, level, score }: ReportGenerated,
): Promise<void> {
  const { accountId, keyId } = await issueTestKey(database)
  const successor = await rotateKey(database, { keyId, by: 'test', overlapMs: 0 })
  const { keyId: revoked } = await issueTestKey(database)
  const fewer = { scope: 'read-only', allowedIps: ['203.0.113.0/24'] } as const
  await changeKey(database, { keyId: revoked, change: fewer, by: 'test', reason: 'It only reads.' })
  await revokeKey(database, { keyId: revoked, by: 'test', reason: 'It was lost.' })
  const proposal = {
    ...{ accountId, ofAccountId: accountId, livemode: true, kind: 'issue_key', change: '{}', basedOn: '' },
    ...{ reason: 'a test', proposedBy: keyId, holder: keyId, actor: '', subject: '' },
  }
  const proposing = { database, now: new Date() }
  const proposed = await proposeChange(proposing, proposal)
  await decideChange(
    proposing,
    { changeId: proposed!.changeId, accountId, decision: 'refuse', decidedBy: keyId, actor: '' },
    { seen: { ofAccount: null, kinds: null }, make: () => Promise.resolve() },
  )
  const owner = { accountId, livemode: true }
  let calls = 0
  // Two calls never have one request id.
  const ofCall = () => ({ call: callOf(`req_${(calls += 1)}`) })
  const actor = {
    ...{ keyId: successor.keyId, holder: keyId, keyName: '', person: '', subject: '' },
    call: callOf('req_1'),
    cannotCompare: () => false,
  }
  const share = { ...owner, ...actor, reportId, expiresInHours: 1, label: 'A bank' }
  const first = await createShare(database, { ...share, ...ofCall() })
  if (!first.ok) throw new Error(JSON.stringify(first))
  for (const request of ['req_o1', 'req_o2'])
    await openShare(database, { ...first.share, ...owner, reportId }, callOf(request))
  const second = await createShare(database, { ...share, ...ofCall() })
  if (second.ok)
    await revokeShare(database, { ...owner, ...actor, ...ofCall(), reportId, shareId: second.share.shareId })
  const parsed = parseAddress(MIXED.address, 'ETH')
  if (!parsed.ok) throw new Error(parsed.detail)
  const stated = (requestId: string) => ({
    ...{ ...owner, ...actor, call: callOf(requestId), parsed },
    ...{ reason: 'It took deposits.', expiresAt: null },
  })
  const labels = { database, followers: [] }
  await stateOwnLabel(labels, { ...stated('req_l1'), decision: 'block', category: 'scam' })
  const allowed = await stateOwnLabel(labels, { ...stated('req_l2'), decision: 'allow', category: null })
  await removeOwnLabel(labels, { ...stated('req_l3'), labelId: allowed!.labelId, reason: '' })
  await stateOwnLabel(labels, { ...stated('req_l4'), decision: 'block', category: 'mixer' })
  const report = { reportId, address, chain, level, score }
  const entry = { ...owner, ...actor, report, expectedVersion: null }
  await addNote(database, { ...entry, ...ofCall(), text: 'The customer named a source.' })
  const decision = { ...entry, needsSecondPerson: false, doPeopleSignIn: false }
  await setDisposition(database, {
    ...decision,
    ...ofCall(),
    disposition: 'escalated',
    text: 'It needs a look.',
  })
  await setDisposition(database, {
    ...decision,
    ...ofCall(),
    disposition: 'cleared',
    text: 'It was looked at.',
  })
  const assignee = { keyId: successor.keyId, holder: keyId, name: 'Desk', subject: '' }
  await assignCase(database, {
    ...entry,
    ...ofCall(),
    text: '',
    assignment: { assignee, dueOn: '2026-12-31' },
  })
  const file = { name: 'a.txt', mediaType: 'text/plain', bytes: 4, sha256: 'ab', content: 'VGV4dA==' }
  await attachFile(database, { ...entry, ...ofCall(), text: '', file })
  const ofWatch = { ...owner, keyId: successor.keyId, person: '', maxWatches: 9 }
  const watch = {
    ...{ address: MIXED.address, chain: 'ETH', candidateChains: [], lookupKey: 'k' },
    ...{
      canonicalAddress: MIXED.address,
      reference: null,
      until: null,
      thresholdHundredths: 100,
      digest: false,
    },
  }
  const watched = { ...watch, address: SANCTIONED.address, canonicalAddress: SANCTIONED.address }
  const batches = [[watch, watched], [{ ...watch, digest: true, until: '2030-01-01T00:00:00.000Z' }]]
  for (const [at, watches] of batches.entries())
    await createWatches(database, {
      ...{ ...ofWatch, call: callOf(`req_w${at}`), batchId: newBatchId(), watches },
      reportPageUrl: 'https://cupel.example.com/reports/',
    })
  const store = {
    database,
    judge: async (url: string) => ({ ok: true, target: { url: new URL(url) } }) as never,
    secrets: { seal: () => Buffer.from('sealed') } as never,
    sealRecipient: (_accountId: string, address: string) => Promise.resolve(address),
  }
  const made = await createEndpoint(store, { ...owner, by: 'test', url: 'https://receiver.example/hook' })
  if (!made.ok) throw new Error(made.code)
  const { endpointId } = made.endpoint
  await changeEndpoint(store, { ...owner, by: 'test', endpointId, status: 'disabled' })
  await createEndpoint(store, {
    ...owner,
    by: 'test',
    url: 'mailto:risk@example.com',
    events: ['report.changed'],
  })
}

const transfer = (at: number, asset: string, token: string, from: string) =>
  `ETH,${at},2026-11-20T00:00:00Z,0x${`${at}`.repeat(64)},${token === '' ? '' : 1},${token === '' ? 'native' : 'token'},${asset},${token},${from},${SANCTIONED.address},${at},,,test,1,${at}`

const TRANSFERS = [
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index',
  transfer(1, 'ETH', '', MIXED.address),
  transfer(2, 'ETH', '', MIXED.address),
  transfer(3, 'USDT', '0xdac17f958d2ee523a2206206994597c13d831ec7', MIXED.address),
  transfer(4, 'XYZ', `0x${'5'.repeat(40)}`, MIXED.address),
  transfer(5, 'ETH', '', ''),
  '',
].join('\n')

/** Transfers, one of a token that counts, one of an unknown token and one without a sender, and prices. */
async function makeLedgerRows({ cupel, file }: Decided): Promise<void> {
  const transfers = await file('transfers.csv', TRANSFERS)
  const prices = await file('prices.csv', 'day,asset,usd\n2022-01-02,ETH,3012.55\n2022-01-03,ETH,2912.55\n')
  for (const call of [
    ['ledger', 'import', transfers, '--format', 'csv', '--chain', 'ETH'],
    ['prices', 'import', prices],
  ])
    expect((await cupel(...call)).error).toBeNull()
}

/** A job that somebody cancels. */
async function makeJob({ log, codec }: Decided, { reportId, address }: ReportGenerated): Promise<void> {
  const jobId = 'job_01'
  const item = {
    ...{ address, reference: null, refusedText: null, reportId, canonicalAddress: address, chain: 'ETH' },
    ...{ candidateChains: [], errorCode: null, errorDetail: null },
  }
  const job = { jobId, accountId: 'acc_1', livemode: true }
  const submitted = {
    ...{ ...job, name: null, items: [item], reportPageUrl: 'https://cupel.example.com/reports/' },
    ...{ submittedAt: '2026-11-23T02:00:00.000Z', call: null },
  }
  const cancelled = {
    ...{ ...job, total: 1, completed: 0, failed: 0, cancelled: 1, cancelledIndices: [0] },
    cancelledAt: '2026-11-23T02:01:00.000Z',
  }
  const target = { topic: topicOf('BulkSubmitted'), key: jobId }
  await log.append('test', [
    codec.encode(testEvent('BulkSubmitted', jobId, submitted), target),
    codec.encode(testEvent('BulkCancelled', jobId, cancelled), target),
  ])
}
