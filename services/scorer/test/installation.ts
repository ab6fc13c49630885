/** The scorer among its real neighbours: the embedded log, the label and policy views, and a database that can be cut off. */
import { randomBytes } from 'node:crypto'
import {
  noMetrics,
  reportPartition,
  requestedEventId,
  screenTopic,
  silentLogger,
  topicOf,
  topicSpecs,
  type DomainEvent,
  type EventData,
  type EventType,
  type Lane,
  type Report,
} from '@cupel/contracts'
import { classifyLabel, compiledDefaultPolicy, parseAddress } from '@cupel/domain'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  TYPE_HEADER,
  type EventCodec,
  type EventLog,
  type LogRecord,
  type NewRecord,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { ledgerMigrations } from '@cupel/ledger'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import {
  installReadModels,
  loadCheckpoint,
  projectionsMigrations,
  runReadModel,
  type ReadModel,
  type RunningReadModel,
} from '@cupel/projections'
import { ensureDefaultPolicy } from '@cupel/policy'
import { labelView, policyView, readModels } from '@cupel/read-models'
import { loadConfig, type RunningService } from '@cupel/service-kit'
import { createTestDatabase } from '@cupel/testkit'
import { startScorer, type ScorerDeps } from '../src/index.js'
import { cuttableProxy } from './cuttable-proxy.js'

export interface Label {
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly entity: string
  /** Decides origin, kind, role and confidence as an import would. */
  readonly source: string
  readonly sourceUrl: string
  /** Parts per million; absent where the source gives none. */
  readonly confidencePpm?: number
}

export interface Installation {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly connectionString: string
  /** Runs until the installation is closed; its checks need not hold yet. */
  start(over?: Partial<ScorerDeps>): Promise<RunningService>
  /** Runs a view until the installation is closed. */
  run(view: ReadModel): RunningReadModel
  /** Appends the labels and their publication as one set. */
  publish(source: string, labels: readonly Label[]): Promise<void>
  /** Appends a request and returns its report id. */
  request(address: string, chain: string, over?: Partial<EventData['ScreenRequested']>): Promise<string>
  appendRequest(record: Partial<NewRecord> & { key: string }): Promise<void>
  /** Every record of a report id, in the order of its partition. */
  answers(reportId: string, livemode?: boolean): Promise<DomainEvent[]>
  /** What callers get: the report of the first record. */
  report(reportId: string, livemode?: boolean): Promise<Report>
  recordsOf(topic: string): Promise<LogRecord[]>
  checkpointTotal(group: string): Promise<number>
  /** The scorer's connections to the database, cut off and restored. */
  readonly databaseLink: { cut(): void; restore(): void }
  close(): Promise<void>
}

/** The settings as they are where nobody sets any. */
export const defaults = loadConfig({})

export async function openInstallation({ policy = true }: { policy?: boolean } = {}): Promise<Installation> {
  const testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  const connect = (applicationName: string, url = connectionString): Database =>
    openDatabase({ connectionString: url, maxConnections: 6, applicationName, connectTimeoutMs: 2_000 })
  const database = connect('test')
  const logDatabase = connect('test-log')
  const proxy = await cuttableProxy(connectionString)
  const scorerDatabase = connect('test-scorer', proxy.connectionString)
  await migrate(database, await readMigrations([eventLogMigrations, projectionsMigrations, ledgerMigrations]))
  await installReadModels(database, readModels)
  const log = openEmbeddedLog({ database: logDatabase })
  await log.ensureTopics(topicSpecs)
  await registerSchemas({ database, registry: builtInRegistry(database) })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const views: RunningReadModel[] = []
  const scorers: RunningService[] = []
  if (policy) {
    const { document, canonical, sha256 } = compiledDefaultPolicy
    const activation = { policyId: document.id, version: document.version, document: canonical, sha256 }
    await ensureDefaultPolicy({ log, codec, database, policy: activation })
  }

  const append = (records: readonly NewRecord[]): Promise<unknown> => log.append('test', records)
  const read = async (topic: string, partition: number): Promise<LogRecord[]> => {
    const records: LogRecord[] = []
    const to = await log.endOffset(topic, partition)
    for await (const batch of log.read({ topic, partition, from: 0, to })) records.push(...batch)
    return records
  }

  const installation: Installation = {
    log,
    codec,
    connectionString,
    databaseLink: proxy,
    run(view) {
      const running = runReadModel({
        readModel: view,
        log,
        codec,
        database,
        logger: silentLogger,
        metrics: noMetrics,
        commitIntervalMs: 5,
      })
      views.push(running)
      return running
    },
    async start(over = {}) {
      const fail = (reason: string, error: unknown): void => {
        throw new Error(reason, { cause: error })
      }
      const config = defaults
      const common = { log, codec, database: scorerDatabase, logger: silentLogger, metrics: noMetrics }
      const scorer = await startScorer({ config, ...common, fail, ...over })
      scorers.push(scorer)
      return scorer
    },
    async publish(source, labels) {
      const importId = randomBytes(8).toString('hex')
      const dataset = `${source}.csv`
      const asserted = labels.map((label, index) =>
        assertion(importId, dataset, `${importId}-${index}`, label, source),
      )
      const topic = topicOf('LabelAsserted')
      const events = [...asserted, publication(importId, source, dataset, labels.length)]
      await append(events.map((event) => codec.encode(event, { topic, key: `${source}/${dataset}` })))
    },
    async request(address, chain, over = {}) {
      const event = requestOf(address, chain, over)
      const { lane, livemode, reportId } = event.data
      await append([codec.encode(event, { topic: screenTopic(lane as Lane, livemode), key: reportId })])
      return reportId
    },
    async appendRequest(record) {
      await append([
        {
          topic: screenTopic('interactive'),
          value: Buffer.from('not an event'),
          headers: { [TYPE_HEADER]: 'ScreenRequested' },
          ...record,
        },
      ])
    },
    async answers(reportId, livemode = true) {
      const records = await read(topicOf('ReportGenerated', livemode), reportPartition(reportId))
      return records.filter(({ key }) => key === reportId).map((record) => codec.decode(record))
    },
    async report(reportId, livemode = true) {
      const [first] = await installation.answers(reportId, livemode)
      if (first?.type !== 'ReportGenerated') throw new Error(`${reportId} has no report but ${first?.type}`)
      return JSON.parse(first.data.report) as Report
    },
    async recordsOf(topic) {
      const partitions = await log.partitionCount(topic)
      const all = await Promise.all(
        Array.from({ length: partitions }, (_, partition) => read(topic, partition)),
      )
      return all.flat()
    },
    async checkpointTotal(group) {
      let total = 0
      for (const lane of ['interactive', 'bulk'] as const) {
        const topic = screenTopic(lane)
        for (let partition = 0; partition < (await log.partitionCount(topic)); partition++) {
          total += (await loadCheckpoint(database, { group, topic, partition }))?.next ?? 0
        }
      }
      return total
    },
    async close() {
      proxy.restore()
      await Promise.all(scorers.map((scorer) => scorer.stop()))
      await Promise.all(views.map((view) => view.stop()))
      await log.close()
      await Promise.all([database.close(), logDatabase.close(), scorerDatabase.close()])
      await proxy.close()
      await testDatabase.drop()
    },
  }
  return installation
}

/** An installation in which labels and policy are followed, as in service. */
export async function openFollowed(): Promise<Installation> {
  const installation = await openInstallation()
  installation.run(labelView)
  installation.run(policyView)
  return installation
}

const now = (): string => new Date().toISOString()

function envelope(subject: string): DomainEvent['envelope'] {
  const id = requestedEventId()
  return { id, source: 'test', time: now(), subject, correlationId: id, causationId: id }
}

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
    requestedAt: now(),
    reportUrl: `https://example.org/reports/${reportId}`,
    jobId: null,
    jobIndex: null,
    call: null,
    ...over,
  }
  return { type: 'ScreenRequested', data, envelope: envelope(reportId) }
}

function assertion(
  importId: string,
  dataset: string,
  labelId: string,
  label: Label,
  source: string,
): DomainEvent<'LabelAsserted'> {
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
  const data = {
    ...{
      labelId,
      importId,
      source,
      dataset,
      chain: parsed.chain,
      address: label.address,
      canonicalAddress: parsed.canonical,
    },
    ...{ lookupKey: parsed.lookupKey, category, role, entity, origin, kind, confidencePpm, sourceUrl },
    ...{ observedAt: '2026-11-20', validFrom: null, validTo: null },
  }
  return event('LabelAsserted', labelId, data)
}

function publication(
  importId: string,
  source: string,
  dataset: string,
  total: number,
): DomainEvent<'LabelSetPublished'> {
  const counts = { total, added: total, unchanged: 0, retired: 0, refused: 0, acceptedRemovals: null }
  return event('LabelSetPublished', importId, {
    ...{ importId, source, dataset, sha256: 'a'.repeat(64), asOf: now().slice(0, 10), publishedAt: now() },
    ...{
      historical: false,
      appended: false,
      authority: source === 'ofac_sdn',
      ...counts,
      reason: null,
      importedBy: 'test',
      refreshConfigured: false,
    },
  })
}

function event<T extends EventType>(type: T, subject: string, data: EventData[T]): DomainEvent<T> {
  return { type, data, envelope: envelope(subject) } as DomainEvent<T>
}
