/** Level C: the exposure of a report is worked out again from the ledger, as of the state the report names. */
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import { compiledDefaultPolicy, decideScreening, labelState, parseAddress } from '@cupel/domain'
import { importLabels } from '@cupel/labels'
import { currentLedgerSeq, examineAddress, importLedger, ledgerMigrations } from '@cupel/ledger'
import {
  labelFacts,
  newestPublication,
  readLabelsAsOf,
  readLabelSnapshot,
  readModels,
  setFacts,
} from '@cupel/read-models'
import { openTestInstallation, testEvent, type TestInstallation } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recomputeReports } from '../src/index.js'

const ASKED = '0x1111111111111111111111111111111111111111'
const THIEF = '0x2222222222222222222222222222222222222222'
const BETWEEN = '0x3333333333333333333333333333333333333333'

const TRANSFERS = `chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source
ETH,100,2026-11-20T00:00:00Z,0x${'1'.repeat(64)},,native,ETH,,${THIEF},${BETWEEN},5000000000000000000,5,,test
ETH,101,2026-11-20T00:01:00Z,0x${'2'.repeat(64)},,native,ETH,,${BETWEEN},${ASKED},4000000000000000000,4,,test
ETH,102,2026-11-20T00:02:00Z,0x${'3'.repeat(64)},,native,ETH,,${ASKED},${THIEF},1000000000000000000,1,,test
`
const MORE_TRANSFERS = TRANSFERS.replaceAll('1'.repeat(64), '4'.repeat(64))
  .replaceAll('2'.repeat(64), '5'.repeat(64))
  .replaceAll('3'.repeat(64), '6'.repeat(64))
const LABELS = `address,chain,category,entity,source,source_url,confidence,observed_at
${THIEF},ETH,stolen,A Thief,my_list,https://example.org/list,0.8,2026-11-20
`

let installation: TestInstallation
let report: ReportGenerated

beforeAll(async () => {
  installation = await openTestInstallation({
    migrations: [ledgerMigrations],
    readModels,
    statementTimeoutMs: 0,
  })
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  const activation = { ...policy, activatedBy: 'test', reason: '', activatedAt: new Date().toISOString() }
  await installation.append(testEvent('PolicyActivated', policy.policyId, activation))
  await importLabelText(LABELS)
  await importTransfers('first.csv', TRANSFERS)
  report = await decide()
  await append(report)
})
afterAll(async () => await installation.close())

async function importLabelText(text: string): Promise<void> {
  const file = await installation.file('labels.csv', text)
  const deps = { ...installation.deps, labelView: 'here' as const }
  const result = await importLabels({ file, format: 'csv', set: 'mine', importedBy: 'test' }, deps)
  expect(result.status).toBe('imported')
}

async function importTransfers(name: string, text: string): Promise<void> {
  const { database } = installation
  const file = await installation.file(name, text)
  const request = { file, format: 'csv', chain: 'ETH', importedBy: 'test' }
  expect(await importLedger(request, { database })).toMatchObject({ status: 'imported' })
}

/** A decision with exposure, as a scorer makes it. */
async function decide(): Promise<ReportGenerated> {
  const { database } = installation
  const parsed = parseAddress(ASKED, 'ETH')
  if (!parsed.ok) throw new Error(parsed.detail)
  const snapshot = await readLabelSnapshot(database, { lookupKeys: [parsed.lookupKey] })
  const labelSets = snapshot.sets!.map(setFacts)
  const generatedAt = new Date().toISOString()
  const policy = compiledDefaultPolicy
  const exposure = await examineAddress(database, {
    chain: 'ETH',
    address: parsed.canonical,
    ledgerSeq: await currentLedgerSeq(database),
    policy,
    labelSets,
    generatedAt,
    labelsOf: async (lookupKeys) => {
      const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq: snapshot.labelSetSeq })
      return new Map(
        lookupKeys.map((key) => [key, labels.filter((one) => one.lookupKey === key).map(labelFacts)]),
      )
    },
  })
  const lists = {
    labelSetSeq: snapshot.labelSetSeq,
    labelsAsOf: newestPublication(snapshot.sets!),
    labelSets,
  }
  const state = labelState(lists)
  await installation.append(testEvent('LabelStateRecorded', state.sha256, state))
  const decision = decideScreening({
    request: {
      reportId: '00000000000000a1',
      accountId: 'acc_test',
      livemode: true,
      address: ASKED,
      canonicalAddress: parsed.canonical,
      chain: 'ETH',
      candidateChains: [],
      customerReference: null,
      reportUrl: '',
      jobId: null,
      jobIndex: null,
    },
    snapshot: { ...lists, labelView: 'current', labels: [] },
    exposure,
    policy,
    generatedAt,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return decision.event
}

async function append(data: ReportGenerated): Promise<void> {
  const target = {
    topic: topicOf('ReportGenerated'),
    key: data.reportId,
    partition: reportPartition(data.reportId),
  }
  const event = testEvent('ReportGenerated', data.reportId, data)
  await installation.log.append('test', [installation.codec.encode(event, target)])
}

const recomputeC = (reportId = report.reportId) =>
  recomputeReports({ ...installation.deps, levels: ['A', 'C'], reportId, maxFindings: 10 })

test('is the same, byte for byte, and stays so when ledger and labels have grown', async () => {
  expect(report.inputs.exposure?.measures.length).toBeGreaterThan(0)
  expect(await recomputeC()).toMatchObject({
    isProven: true,
    levels: { A: { same: 1 }, C: { same: 1 } },
  })
  await importTransfers('second.csv', MORE_TRANSFERS)
  await importLabelText(LABELS.replace('0.8', '0.3'))
  expect(await recomputeC()).toMatchObject({ isProven: true, levels: { C: { same: 1 } } })
})

test('is found where it was changed, though the report follows from the change', async () => {
  const exposure = report.inputs.exposure!
  const measures = exposure.measures.map((measure) => ({ ...measure, amount: '1' }))
  const reportId = '00000000000000b1'
  // The report itself is not decided again here: level C asks only whether the ledger says what the record says.
  await append({ ...report, reportId, inputs: { ...report.inputs, exposure: { ...exposure, measures } } })
  const { levels, findings } = await recomputeC(reportId)
  expect(levels.C).toMatchObject({ differs: 1, same: 0 })
  const atC = findings.find(({ level }) => level === 'C')
  expect(atC?.paths).toContain('inputs.exposure.measures.0.amount')
})

test('is not derivable where a segment is gone, and says which', async () => {
  const { database } = installation
  await database.execute('UPDATE ledger.segment SET ledger_seq = NULL WHERE ledger_seq = 1')
  try {
    const { levels, findings, isProven } = await recomputeC()
    expect(levels.C).toMatchObject({ 'not-derivable': 1, differs: 0 })
    expect(findings).toMatchObject([
      { level: 'C', status: 'not-derivable', reason: expect.stringContaining('segment 1') as string },
    ])
    // Nothing was found to differ; nothing was proven either, which the count says.
    expect(isProven).toBe(true)
  } finally {
    await database.execute('UPDATE ledger.segment SET ledger_seq = 1 WHERE ledger_seq IS NULL')
  }
})
