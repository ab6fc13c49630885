/** The coordinator on the embedded log, with a scorer that decides at once, and the queries that tests need. */
import { migrationSources } from '@cupel/command-line/installation'
import { randomBytes } from 'node:crypto'
import {
  requestedEventId,
  reportPartition,
  reportPartitionOfLane,
  screenTopic,
  topicOf,
  type BulkSubmitted,
  type DomainEvent,
  type Metrics,
  type ScreenRequested,
} from '@cupel/contracts'
import { judgeItems } from '@cupel/domain'
import type { EventCodec, EventLog, LogRecord, NewRecord } from '@cupel/event-log'
import { labelView } from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'
import { reportView } from '@cupel/reports/read-model'
import type { RunningService } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import {
  failLoudly,
  diesAt,
  openTestInstallation,
  testEvent,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { startBulkCoordinator } from '../src/index.js'

export const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
export const SUBMITTED_AT = '2026-11-21T09:00:00.000Z'

const CONFIG = { CUPEL_HOME: '/nowhere', CUPEL_WATCH_DIGEST_HOUR: 6 }

export type JobEnding = DomainEvent<'BulkCompleted'> | DomainEvent<'BulkCancelled'>

export interface Installation extends TestInstallation {
  readonly scorer: StubScorer
  coordinator(metrics?: Metrics): Promise<RunningService>
  /** Runs a further coordinator until it dies at the failpoint. */
  coordinatorDies(point: string): Promise<void>
  /** Appends a submission; returns the job id. */
  submit(addresses: readonly string[], over?: Partial<BulkSubmitted>): Promise<string>
  cancel(jobId: string): Promise<void>
  /** Returns the progress of the job from its row. */
  progress(jobId: string): Promise<{ readonly released: number; readonly endedUnits: number } | undefined>
  /** Returns every record of the bulk topic about the job, except submissions. */
  endings(jobId: string): Promise<JobEnding[]>
  endingRecords(jobId: string): Promise<LogRecord[]>
  /** Waits for the first ending. */
  ended(jobId: string): Promise<JobEnding>
  /** Returns requests on the bulk lane, repeats included. */
  requests(livemode?: boolean): Promise<DomainEvent<'ScreenRequested'>[]>
}

export interface StubScorer {
  /** Decides the fate of a request. `hold`: no answer for now. */
  decide: (request: ScreenRequested) => 'report' | 'fail' | 'hold' | 'twice'
  /** Requests seen, in order, repeats included. */
  readonly seen: ScreenRequested[]
  /** Decides the held requests. */
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
  const asked = texts.map((address) => ({ address }))
  const items = judgeItems(asked, undefined).map((item, index): BulkSubmitted['items'][number] => {
    if (!item.ok) {
      const nothing = {
        address: '',
        reference: null,
        canonicalAddress: '',
        chain: '',
        candidateChains: [],
        reportId: null,
      }
      return { ...nothing, refusedText: texts[index]!, errorCode: item.code, errorDetail: item.detail }
    }
    const reportId = ids.get(item.first) ?? bulkReportId()
    ids.set(item.first, reportId)
    return {
      ...item.screened,
      reference: null,
      refusedText: null,
      reportId,
      errorCode: null,
      errorDetail: null,
    }
  })
  const event = testEvent('BulkSubmitted', jobId, {
    ...{ jobId, accountId: 'acc_1', livemode: true, name: null, items, submittedAt: SUBMITTED_AT },
    ...{ reportPageUrl: 'https://cupel.example.com/reports/', call: null, ...over },
  })
  return { ...event, envelope: { ...event.envelope, time: SUBMITTED_AT } }
}

export async function openInstallation(): Promise<Installation> {
  const base = await openTestInstallation({
    migrations: migrationSources,
    readModels: [labelView, policyView, reportView],
  })
  const { database, codec, append, records } = base
  const scorer = await startStubScorer(base)
  base.onClose(() => scorer.stop())

  const endingRecords = async (jobId: string): Promise<LogRecord[]> => {
    const topics = [topicOf('BulkCompleted'), topicOf('BulkCompleted', false)]
    const found = (await Promise.all(topics.map((topic) => records(topic)))).flat()
    return found.filter(
      ({ key, headers }) => key === jobId && ['BulkCompleted', 'BulkCancelled'].includes(headers['ce_type']!),
    )
  }
  const endings = async (jobId: string): Promise<JobEnding[]> =>
    (await endingRecords(jobId)).map((record) => codec.decode(record) as JobEnding)
  return {
    ...{ ...base, scorer, endingRecords, endings },
    async coordinator(metrics = base.deps.metrics) {
      const service = await startBulkCoordinator({ ...base.deps, metrics, config: CONFIG, fail: failLoudly })
      base.onClose(() => service.stop())
      return service
    },
    coordinatorDies: (point) =>
      diesAt(base.connectionString, point, (deps) => startBulkCoordinator({ ...deps, config: CONFIG })),
    async submit(texts, over) {
      const event = submission(texts, over)
      await append(event)
      return event.data.jobId
    },
    async cancel(jobId) {
      const requestedAt = new Date().toISOString()
      const owner = { accountId: 'acc_1', livemode: true }
      await append(testEvent('BulkCancelRequested', jobId, { ...owner, jobId, requestedAt, call: null }))
    },
    async progress(jobId) {
      const rows = await database.query<{ released: number; endedUnits: number }>(
        'SELECT released, ended_units AS "endedUnits" FROM bulk.job WHERE job_id = $1',
        [jobId],
      )
      return rows[0]
    },
    endings,
    async ended(jobId) {
      return await until(async () => {
        const [first] = await endings(jobId)
        if (first === undefined) throw new Error(`${jobId} has not ended`)
        return first
      })
    },
    async requests(livemode = true) {
      return (await records(screenTopic('bulk', livemode))).flatMap(
        (record) => codec.decodeAs('ScreenRequested', record) ?? [],
      )
    },
  }
}

async function startStubScorer({ log, codec }: { log: EventLog; codec: EventCodec }): Promise<StubScorer> {
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

/** The record of a scorer. The coordinator reads only key and headers, so the value does not matter here. */
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
