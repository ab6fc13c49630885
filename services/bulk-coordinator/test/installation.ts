/** The coordinator on the embedded log, with a scorer that decides at once, and whatever a test wants to know. */
import { randomBytes } from 'node:crypto'
import {
  noMetrics,
  requestedEventId,
  reportPartition,
  reportPartitionOfLane,
  screenTopic,
  silentLogger,
  topicOf,
  topicSpecs,
  type BulkSubmitted,
  type DomainEvent,
  type EventData,
  type ScreenRequested,
} from '@cupel/contracts'
import { judgeItems } from '@cupel/domain'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
  type LogRecord,
  type NewRecord,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { projectionsMigrations } from '@cupel/projections'
import type { RunningService } from '@cupel/service-kit'
import { createTestDatabase, until } from '@cupel/testkit'
import { bulkMigrations, startBulkCoordinator } from '../src/index.js'

export const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
export const SUBMITTED_AT = '2026-11-21T09:00:00.000Z'

export interface Installation {
  readonly connectionString: string
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  readonly scorer: StubScorer
  coordinator(): Promise<RunningService>
  /** Appends a submission; returns the job id. */
  submit(addresses: readonly string[], over?: Partial<BulkSubmitted>): Promise<string>
  append(event: DomainEvent, key: string): Promise<void>
  cancel(jobId: string): Promise<void>
  /** How far the coordinator has come with the job, as its row says. */
  progress(jobId: string): Promise<{ readonly released: number; readonly endedUnits: number } | undefined>
  /** Every record of the bulk topic about the job, submissions aside. */
  endings(jobId: string): Promise<(DomainEvent<'BulkCompleted'> | DomainEvent<'BulkCancelled'>)[]>
  endingRecords(jobId: string): Promise<LogRecord[]>
  /** Waits for the first ending. */
  ended(jobId: string): Promise<DomainEvent<'BulkCompleted'> | DomainEvent<'BulkCancelled'>>
  /** Requests on the bulk lane, repeats included. */
  requests(livemode?: boolean): Promise<DomainEvent<'ScreenRequested'>[]>
  records(topic: string): Promise<LogRecord[]>
  close(): Promise<void>
}

export interface StubScorer {
  /** What becomes of a request. `hold`: nothing for the time being. */
  decide: (request: ScreenRequested) => 'report' | 'fail' | 'hold' | 'twice'
  /** Requests seen, in order, repeats included. */
  readonly seen: ScreenRequested[]
  /** Decides what was held. */
  release(): Promise<void>
  stop(): Promise<void>
}

let counted = 0

/** A report id of the bulk half. */
export function bulkReportId(): string {
  counted += 1
  const partition = reportPartitionOfLane('bulk', counted)
  return randomBytes(7).toString('hex') + partition.toString(16).padStart(2, '0')
}

export function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`)
}

export function submission(
  texts: readonly string[],
  over: Partial<BulkSubmitted> = {},
): DomainEvent<'BulkSubmitted'> {
  const jobId = over.jobId ?? `job_${randomBytes(16).toString('hex')}`
  const ids = new Map<number, string>()
  const items = judgeItems(texts, undefined).map((item): BulkSubmitted['items'][number] => {
    const nothing = { canonicalAddress: '', chain: '', candidateChains: [] }
    if (!item.ok)
      return {
        ...nothing,
        address: item.address,
        reportId: null,
        errorCode: item.code,
        errorDetail: item.detail,
      }
    const reportId = ids.get(item.first) ?? bulkReportId()
    ids.set(item.first, reportId)
    const { address, canonicalAddress, chain, candidateChains } = item
    return { address, canonicalAddress, chain, candidateChains, reportId, errorCode: null, errorDetail: null }
  })
  const id = requestedEventId()
  return {
    type: 'BulkSubmitted',
    data: {
      ...{ jobId, accountId: 'acc_1', livemode: true, items, submittedAt: SUBMITTED_AT },
      ...{ reportPageUrl: 'https://cupel.example.com/reports/', call: null, ...over },
    },
    envelope: {
      ...{ id, source: 'test', time: SUBMITTED_AT, subject: jobId },
      ...{ correlationId: id, causationId: id },
    },
  }
}

export async function openInstallation(): Promise<Installation> {
  const testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  const database = openDatabase({ connectionString, maxConnections: 12, applicationName: 'test' })
  await migrate(database, await readMigrations([eventLogMigrations, projectionsMigrations, bulkMigrations]))
  const log = openEmbeddedLog({ database })
  await log.ensureTopics(topicSpecs)
  await registerSchemas({ database, registry: builtInRegistry(database) })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const scorer = await startStubScorer(log, codec)
  const running: RunningService[] = []

  const records = async (topic: string): Promise<LogRecord[]> => {
    const found: LogRecord[] = []
    for (let partition = 0; partition < (await log.partitionCount(topic)); partition += 1) {
      const to = await log.endOffset(topic, partition)
      for await (const batch of log.read({ topic, partition, from: 0, to })) found.push(...batch)
    }
    return found
  }
  const endingRecords = async (jobId: string): Promise<LogRecord[]> => {
    const found = [
      ...(await records(topicOf('BulkCompleted'))),
      ...(await records(topicOf('BulkCompleted', false))),
    ]
    return found.filter(
      ({ key, headers }) => key === jobId && ['BulkCompleted', 'BulkCancelled'].includes(headers['ce_type']!),
    )
  }
  const installation: Installation = {
    ...{ connectionString, database, log, codec, scorer, records, endingRecords },
    async coordinator() {
      const service = await startBulkCoordinator({
        config: { CUPEL_BULK_DWELL_TARGET_MS: 25 },
        ...{ log, codec, database, logger: silentLogger, metrics: noMetrics },
        fail: (reason, error) => {
          throw new Error(reason, { cause: error })
        },
      })
      running.push(service)
      return service
    },
    async submit(texts, over) {
      const event = submission(texts, over)
      await installation.append(event, event.data.jobId)
      return event.data.jobId
    },
    async append(event, key) {
      const livemode = 'livemode' in event.data ? event.data.livemode : true
      await log.append('test', [codec.encode(event, { topic: topicOf(event.type, livemode), key })])
    },
    async cancel(jobId) {
      const id = requestedEventId()
      const requestedAt = new Date().toISOString()
      const data: EventData['BulkCancelRequested'] = {
        jobId,
        accountId: 'acc_1',
        livemode: true,
        requestedAt,
        call: null,
      }
      const envelope = {
        id,
        source: 'test',
        time: requestedAt,
        subject: jobId,
        correlationId: id,
        causationId: id,
      }
      await installation.append({ type: 'BulkCancelRequested', data, envelope }, jobId)
    },
    async progress(jobId) {
      const rows = await database.query<{ released: number; endedUnits: number }>(
        'SELECT released, ended_units AS "endedUnits" FROM bulk.job WHERE job_id = $1',
        [jobId],
      )
      return rows[0]
    },
    async endings(jobId) {
      return (await endingRecords(jobId)).map(
        (record) => codec.decode(record) as DomainEvent<'BulkCompleted'> | DomainEvent<'BulkCancelled'>,
      )
    },
    async ended(jobId) {
      return await until(async () => {
        const [first] = await installation.endings(jobId)
        if (first === undefined) throw new Error(`${jobId} has not ended`)
        return first
      })
    },
    async requests(livemode = true) {
      return (await records(screenTopic('bulk', livemode))).flatMap(
        (record) => codec.decodeAs('ScreenRequested', record) ?? [],
      )
    },
    async close() {
      await Promise.all(running.map((service) => service.stop()))
      await scorer.stop()
      await log.close()
      await database.close()
      await testDatabase.drop()
    },
  }
  return installation
}

async function startStubScorer(log: EventLog, codec: EventCodec): Promise<StubScorer> {
  const identity = await log.identity()
  const checkpoints = new Map<string, number>()
  let held: ScreenRequested[] = []
  const answer = async (requests: readonly ScreenRequested[]): Promise<void> => {
    const answers = requests.flatMap((request) => {
      const verdict = scorer.decide(request)
      if (verdict === 'hold') {
        held.push(request)
        return []
      }
      const first = outcomeRecord(
        request.reportId,
        verdict === 'fail' ? 'ScreeningFailed' : 'ReportGenerated',
        request.livemode,
      )
      return verdict === 'twice'
        ? [first, outcomeRecord(request.reportId, 'ScreeningFailed', request.livemode)]
        : [first]
    })
    if (answers.length > 0) await log.append('test', answers)
  }
  const scorer: StubScorer = {
    decide: () => 'report',
    seen: [],
    async release() {
      const requests = held
      held = []
      await answer(requests)
    },
    stop: () => subscription.stop(),
  }
  const subscription = await log.subscribe({
    group: 'test-scorer',
    topics: [screenTopic('bulk', true), screenTopic('bulk', false)],
    checkpoint: async ({ topic, partition }) => ({
      next: checkpoints.get(`${topic}/${partition}`) ?? 0,
      log: identity,
    }),
    maxBatchRecords: 100,
    concurrency: 16,
    async handle(batch) {
      const requests = batch.records.flatMap(
        (record) => codec.decodeAs('ScreenRequested', record)?.data ?? [],
      )
      scorer.seen.push(...requests)
      await answer(requests)
      checkpoints.set(`${batch.topic}/${batch.partition}`, batch.nextOffset)
      return undefined
    },
    onStopped: (error) => {
      throw error
    },
    onRetry: () => undefined,
  })
  return scorer
}

/** What a scorer records. The coordinator reads key and headers alone, so that the value is of no account here. */
export function outcomeRecord(reportId: string, type: string, livemode = true): NewRecord {
  const time = new Date().toISOString()
  return {
    topic: topicOf('ReportGenerated', livemode),
    key: reportId,
    partition: reportPartition(reportId),
    value: Buffer.from('a report'),
    headers: { ce_type: type, ce_id: reportId, ce_time: time, causationid: requestedEventId() },
  }
}
