/** The scorer with its real neighbours: the embedded log, the label and policy views, and a database that can be cut off. */
import { randomBytes } from 'node:crypto'
import { heartbeatsMigrations } from '@cupel/projections/heartbeats'
import { transparencyMigrations } from '@cupel/evidence/transparency'
import {
  reportPartition,
  screenTopic,
  topicOf,
  type DomainEvent,
  type EventData,
  type Lane,
  type Report,
} from '@cupel/contracts'
import { classifyLabel, compiledDefaultPolicy, parseAddress } from '@cupel/domain'
import { type NewRecord, placesOf, TYPE_HEADER } from '@cupel/event-log'
import { labelsMigrations } from '@cupel/labels'
import { ledgerMigrations } from '@cupel/ledger'
import { ensureDefaultPolicy } from '@cupel/policy'
import { openDatabase } from '@cupel/postgres'
import { loadCheckpoint } from '@cupel/projections'
import { labelView } from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'
import { readModels } from '@cupel/operation/read-models'
import { loadConfig, type RunningService } from '@cupel/kit/service'
import {
  failLoudly,
  openTestInstallation,
  testEvent,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { startScorer } from '../src/index.js'
import { type ScorerDeps } from '../src/start-scorer.js'
import { cuttableProxy } from './cuttable-proxy.js'

export interface Label {
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly entity: string
  /** Determines origin, kind, role and confidence as in an import. */
  readonly source: string
  readonly sourceUrl: string
  /** Parts per million; absent if the source gives none. */
  readonly confidencePpm?: number
}

export interface Installation extends TestInstallation {
  /** Runs until the installation is closed; its checks may still fail. */
  start(over?: Partial<ScorerDeps>): Promise<RunningService>
  /** Appends the labels and their publication as one set. */
  publish(source: string, labels: readonly Label[]): Promise<void>
  /** Appends a request and returns its report id. */
  request(address: string, chain: string, over?: Partial<EventData['ScreenRequested']>): Promise<string>
  appendRequest(record: Partial<NewRecord> & { key: string }): Promise<void>
  /** Returns every record of a report id, in the order of its partition. */
  answers(reportId: string, livemode?: boolean): Promise<DomainEvent[]>
  /** Returns the report that callers get: that of the first record. */
  report(reportId: string, livemode?: boolean): Promise<Report>
  checkpointTotal(group: string): Promise<number>
  /** Cuts and restores the scorer's connections to the database. */
  readonly databaseLink: { cut(): void; restore(): void }
}

/** The default settings. */
export const defaults = loadConfig({})

export async function openInstallation({ policy = true }: { policy?: boolean } = {}): Promise<Installation> {
  const base = await openTestInstallation({
    migrations: [heartbeatsMigrations, labelsMigrations, ledgerMigrations, transparencyMigrations],
    readModels,
  })
  const { database, log, codec } = base
  const proxy = await cuttableProxy(base.connectionString)
  const scorerDatabase = openDatabase({
    ...{ connectionString: proxy.connectionString, applicationName: 'test-scorer' },
    ...{ maxConnections: 6, connectTimeoutMs: 2_000 },
  })
  base.onClose(async () => {
    await scorerDatabase.close()
    await proxy.close()
  })
  await base.relay()
  if (policy) {
    const { document, canonical, sha256 } = compiledDefaultPolicy
    const activation = { policyId: document.id, version: document.version, document: canonical, sha256 }
    await ensureDefaultPolicy({ ...base.deps, policy: activation })
  }
  const answers = async (reportId: string, livemode = true): Promise<DomainEvent[]> => {
    const records = await base.records(topicOf('ReportGenerated', livemode), reportPartition(reportId))
    return records.filter(({ key }) => key === reportId).map((record) => codec.decode(record))
  }
  return {
    ...{ ...base, answers, databaseLink: proxy },
    async start(over = {}) {
      const deps = { ...base.deps, database: scorerDatabase, fail: failLoudly }
      const scorer = await startScorer({ config: defaults, ...deps, ...over })
      base.onClose(() => {
        proxy.restore()
        return scorer.stop()
      })
      return scorer
    },
    async publish(source, labels) {
      const importId = randomBytes(8).toString('hex')
      const dataset = `${source}.csv`
      const asserted = labels.map((label, index) =>
        assertion(importId, dataset, `${importId}-${index}`, label, source),
      )
      const topic = topicOf('LabelsAsserted')
      const events = [...asserted, publication(importId, source, dataset, labels.length)]
      await log.append(
        'test',
        events.map((event) => codec.encode(event, { topic, key: `${source}/${dataset}` })),
      )
    },
    async request(address, chain, over = {}) {
      const event = requestOf(address, chain, over)
      const { lane, livemode, reportId } = event.data
      const topic = screenTopic(lane as Lane, livemode)
      await log.append('test', [codec.encode(event, { topic, key: reportId })])
      return reportId
    },
    async appendRequest(record) {
      await log.append('test', [
        {
          topic: screenTopic('interactive'),
          value: Buffer.from('not an event'),
          headers: { [TYPE_HEADER]: 'ScreenRequested' },
          ...record,
        },
      ])
    },
    async report(reportId, livemode = true) {
      const [first] = await answers(reportId, livemode)
      if (first?.type !== 'ReportGenerated') throw new Error(`${reportId} has no report but ${first?.type}`)
      return JSON.parse(first.data.report) as Report
    },
    async checkpointTotal(group) {
      let total = 0
      for (const place of await placesOf(log, [screenTopic('interactive'), screenTopic('bulk')]))
        total += (await loadCheckpoint(database, { group, ...place }))?.next ?? 0
      return total
    },
  }
}

/** Opens an installation that follows labels and policy, as in service. */
export async function openFollowed(): Promise<Installation> {
  const installation = await openInstallation()
  installation.run(labelView)
  installation.run(policyView)
  return installation
}

const now = (): string => new Date().toISOString()

function requestOf(
  address: string,
  chain: string,
  over: Partial<EventData['ScreenRequested']>,
): DomainEvent<'ScreenRequested'> {
  const reportId = over.reportId ?? randomBytes(8).toString('hex')
  const parsed = parseAddress(address, chain)
  const data = {
    reportId,
    accountId: 'acc_test',
    livemode: true,
    address,
    canonicalAddress: parsed.ok ? parsed.canonical : address,
    chain,
    candidateChains: [],
    customerReference: null,
    lane: 'interactive',
    answerByAt: new Date(Date.now() + 60_000).toISOString(),
    stagesByAt: null,
    requestedAt: now(),
    reportUrl: `https://example.org/reports/${reportId}`,
    jobId: null,
    jobIndex: null,
    transfer: null,
    call: null,
    ...over,
  }
  return testEvent('ScreenRequested', reportId, data)
}

function assertion(
  importId: string,
  dataset: string,
  labelId: string,
  label: Label,
  source: string,
): DomainEvent<'LabelsAsserted'> {
  const parsed = parseAddress(label.address, label.chain)
  if (!parsed.ok) throw new Error(`${label.address}: ${parsed.detail}`)
  const { category, entity, sourceUrl } = label
  const { origin, kind, role, confidencePpm } = classifyLabel({
    source,
    category,
    entity,
    sourceUrl,
    confidencePpm: label.confidencePpm ?? null,
  })
  const stated = {
    ...{
      labelId,
      chain: parsed.chain,
      address: label.address,
      canonicalAddress: parsed.canonical,
    },
    ...{ lookupKey: parsed.lookupKey, category, role, entity, origin, kind, confidencePpm, sourceUrl },
    ...{ observedAt: '2026-11-20', validFrom: null, validTo: null, subcategory: '', sanction: null },
  }
  return testEvent('LabelsAsserted', labelId, { importId, source, dataset, labels: [stated] })
}

function publication(
  importId: string,
  source: string,
  dataset: string,
  total: number,
): DomainEvent<'LabelSetPublished'> {
  const counts = { total, added: total, unchanged: 0, retired: 0, refused: 0, acceptedRemovals: null }
  return testEvent('LabelSetPublished', importId, {
    ...{ importId, source, dataset, sha256: 'a'.repeat(64), asOf: now().slice(0, 10), publishedAt: now() },
    ...{
      historical: false,
      appended: false,
      authorityOrigin: source === 'ofac_sdn' ? 'us-ofac' : '',
      whole: source === 'ofac_sdn',
      replaces: [],
      list: '',
      versionOf: [],
      rows: { read: total, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
      basedOnSeq: 0,
      confirmedAt: null,
      lostDesignations: 0,
      ...counts,
      reason: null,
      importedBy: 'test',
      refreshConfigured: false,
    },
  })
}
