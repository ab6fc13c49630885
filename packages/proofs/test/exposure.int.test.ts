/** Level C: the exposure of a report is worked out again from the ledger, as of the state the report names. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  noMetrics,
  reportPartition,
  silentLogger,
  topicOf,
  topicSpecs,
  type ReportGenerated,
} from '@cupel/contracts'
import { compiledDefaultPolicy, decideScreening, parseAddress } from '@cupel/domain'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { importLabels } from '@cupel/labels'
import { currentLedgerSeq, examineAddress, importLedger, ledgerMigrations } from '@cupel/ledger'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { installReadModels, projectionsMigrations } from '@cupel/projections'
import {
  labelFacts,
  newestPublication,
  readLabelsAsOf,
  readLabelSnapshot,
  readModels,
  setFacts,
} from '@cupel/read-models'
import { createTestDatabase } from '@cupel/testkit'
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

let folder: string
let database: Database
let log: EventLog
let codec: EventCodec
let report: ReportGenerated
let drop: () => Promise<void>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupel-audit-exposure-'))
  const testDatabase = await createTestDatabase()
  database = openDatabase({
    connectionString: testDatabase.connectionString,
    maxConnections: 12,
    applicationName: 'test',
    statementTimeoutMs: 0,
  })
  drop = () => testDatabase.drop()
  await migrate(database, await readMigrations([eventLogMigrations, projectionsMigrations, ledgerMigrations]))
  await installReadModels(database, readModels)
  log = openEmbeddedLog({ database })
  await registerSchemas({ database, registry: builtInRegistry(database) })
  await log.ensureTopics(topicSpecs)
  codec = createEventCodec(await loadSchemaCatalog(database))
  await importLabelText(LABELS)
  await importTransfers('first.csv', TRANSFERS)
  report = await decide()
  await append(report)
})
afterAll(async () => {
  await log.close()
  await database.close()
  await drop()
  await rm(folder, { recursive: true, force: true })
})

async function importLabelText(text: string): Promise<void> {
  const file = join(folder, 'labels.csv')
  await writeFile(file, text)
  const deps = { log, codec, database, logger: silentLogger, metrics: noMetrics, labelView: 'here' as const }
  const result = await importLabels({ file, format: 'csv', set: 'mine', importedBy: 'test' }, deps)
  expect(result.status).toBe('imported')
}

async function importTransfers(name: string, text: string): Promise<void> {
  const file = join(folder, name)
  await writeFile(file, text)
  const request = { file, format: 'csv', chain: 'ETH', importedBy: 'test' }
  expect(await importLedger(request, { database })).toMatchObject({ status: 'imported' })
}

/** A decision with exposure, as a scorer makes it. */
async function decide(): Promise<ReportGenerated> {
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
    snapshot: {
      labelSetSeq: snapshot.labelSetSeq,
      labelView: 'current',
      labelsAsOf: newestPublication(snapshot.sets!),
      labelSets,
      labels: [],
    },
    exposure,
    policy,
    generatedAt,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return decision.event
}

async function append(data: ReportGenerated): Promise<void> {
  const id = `event of ${data.reportId}`
  const envelope = {
    id,
    source: 'test',
    time: data.generatedAt,
    subject: data.reportId,
    correlationId: id,
    causationId: id,
  }
  const target = {
    topic: topicOf('ReportGenerated'),
    key: data.reportId,
    partition: reportPartition(data.reportId),
  }
  await log.append('test', [codec.encode({ type: 'ReportGenerated', data, envelope }, target)])
}

const recomputeC = (reportId = report.reportId) =>
  recomputeReports({ log, codec, database, levels: ['A', 'C'], reportId, maxFindings: 10 })

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
