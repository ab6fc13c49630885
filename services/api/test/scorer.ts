/** A scorer for tests that scores nothing: it answers requests as the test tells it. */
import {
  decidedEventId,
  type DomainEvent,
  reportExample,
  type ReportGenerated,
  reportPartition,
  type ScreenRequested,
  screenTopic,
  topicOf,
} from '@cupel/contracts'
import { compiledDefaultPolicy, judgeTransfer, type JudgedTransfer } from '@cupel/domain'
import type { AuthenticLog, EventCodec, NewRecord } from '@cupel/event-log'

export type TestAnswer = 'report' | 'fail' | 'hold' | 'twice'

export interface TestScorer {
  /** The answer to the next requests; `hold` keeps them until `release`. */
  answer: TestAnswer
  /** What it makes of a transfer that was left to its transaction: the request to answer, or why not. Absent: nobody tells of it. */
  toldTransfer?: (request: ScreenRequested) => ScreenRequested | Refused
  /** Requests that the scorer holds now. */
  readonly held: () => readonly ScreenRequested[]
  /** Answers every request that it holds. */
  release(): Promise<void>
  /** Appends a report for a request, as another producer would. */
  forge(request: ScreenRequested, level: string): Promise<void>
  /** Appends a report for a request of any caller; `requestId` replaces the id of the request. */
  report(request: ScreenRequested, level?: string, requestId?: string): Promise<void>
  stop(): Promise<void>
}

export async function startTestScorer({
  log,
  codec,
}: {
  log: AuthenticLog
  codec: EventCodec
}): Promise<TestScorer> {
  let held: ScreenRequested[] = []
  /** The id of the first request for each report id; a resumed call sends a second request. */
  const ids = new Map<string, string>()
  const identity = await log.identity()
  const recordsFor = (request: ScreenRequested, answer: TestAnswer): NewRecord[] => {
    if (answer === 'fail') return [failure(codec, request, ids)]
    if ((request.transfer?.unstated.length ?? 0) > 0) {
      const told = scorer.toldTransfer?.(request)
      if (told === undefined || 'code' in told) return [failure(codec, request, ids, told ?? NOT_TOLD)]
      return [generated(codec, told, 'green', ids)]
    }
    const first = generated(codec, request, 'green', ids)
    // The second report differs, like a repeat that was decided from newer labels.
    return answer === 'twice' ? [first, generated(codec, request, 'red', ids)] : [first]
  }
  const subscription = await log.subscribe({
    group: 'test-scorer',
    topics: [screenTopic('interactive', true), screenTopic('interactive', false)],
    checkpoint: async () => ({ next: 0, log: identity }),
    maxBatchRecords: 500,
    concurrency: 16,
    async handle(batch) {
      const events = batch.records.map((record) => codec.decodeAs('ScreenRequested', record)!)
      for (const { data, envelope } of events)
        if (!ids.has(data.reportId)) ids.set(data.reportId, envelope.id)
      const requests = events.map(({ data }) => data)
      if (scorer.answer === 'hold') held.push(...requests)
      else
        await log.append(
          'test',
          requests.flatMap((request) => recordsFor(request, scorer.answer)),
        )
      return undefined
    },
    onStopped: (error) => {
      throw error
    },
    onRetry: () => undefined,
  })
  const scorer: TestScorer = {
    answer: 'report',
    held: () => held,
    async release() {
      const requests = held
      held = []
      await log.append(
        'test',
        requests.flatMap((request) => recordsFor(request, 'report')),
      )
    },
    async report(request, level = 'green', requestId) {
      const causes = requestId === undefined ? ids : new Map([[request.reportId, requestId]])
      await log.append('test', [generated(codec, request, level, causes)])
    },
    async forge(request, level) {
      await log.unchecked.append('test', [generated(codec, request, level, ids)])
    },
    stop: () => subscription.stop(),
  }
  return scorer
}

type RequestIds = ReadonlyMap<string, string>

function generated(codec: EventCodec, request: ScreenRequested, level: string, ids: RequestIds): NewRecord {
  const generatedAt = new Date().toISOString()
  // The indentation is deliberate: it reveals code that serialises the document again.
  const report = reportText(request, level)
  const data: ReportGenerated = {
    reportId: request.reportId,
    report,
    accountId: request.accountId,
    livemode: request.livemode,
    address: request.address,
    canonicalAddress: request.canonicalAddress,
    chain: request.chain,
    candidateChains: request.candidateChains,
    customerReference: request.customerReference,
    level,
    score: 0,
    categories: { sanctions: 0, darknet: 0, mixer: 0, scam: 0, stolen: 0, cleanExchange: 0 },
    levelReasons: [],
    scoreIsLowerBound: false,
    generatedAt,
    reportUrl: request.reportUrl,
    jobId: null,
    jobIndex: null,
    transfer: request.transfer,
    recommendation: transferOf(request, level)?.recommendation ?? null,
    reportSha256: '',
    inputs: NO_INPUTS,
  }
  return record(codec, {
    type: 'ReportGenerated',
    data,
    envelope: envelope(request, 'ReportGenerated', generatedAt, ids),
  })
}

/** The document with which this scorer answers a request: a whole report, so that it fits the API description. */
export function reportText(
  request: Pick<ScreenRequested, 'reportId' | 'address' | 'chain'> &
    Partial<Pick<ScreenRequested, 'livemode' | 'customerReference' | 'canonicalAddress' | 'transfer'>>,
  level = 'green',
): string {
  const { reportId: report_id, address, chain } = request
  const risk = { ...reportExample.risk, level }
  const customer_reference = request.customerReference ?? reportExample.customer_reference
  const transfer = transferOf(request, level)
  const { livemode = reportExample.livemode } = request
  const shown = { ...reportExample, report_id, address, chain, livemode, customer_reference, risk }
  return JSON.stringify({ ...shown, ...(transfer === null ? {} : { transfer }) }, null, 1)
}

function transferOf(
  {
    chain,
    address,
    canonicalAddress = address,
    transfer,
  }: Pick<ScreenRequested, 'chain' | 'address'> &
    Partial<Pick<ScreenRequested, 'canonicalAddress' | 'transfer'>>,
  level: string,
): JudgedTransfer | null {
  if (transfer === null || transfer === undefined) return null
  return judgeTransfer({
    ...{ terms: transfer, chain, policy: compiledDefaultPolicy },
    own: { level: 'grey', isDesignated: false },
    counterparty: {
      ...{ canonicalAddress, level: level as 'green', isDesignated: false, scoreIsLowerBound: false },
      ...{ areListsComplete: true, missesStages: false, code: 'unknown', breakdown: [] },
    },
  })
}

interface Refused {
  readonly code: string
  readonly detail: string
}

const NOT_TOLD: Refused = { code: 'transfer_not_found', detail: 'No provider is asked for one.' }

function failure(
  codec: EventCodec,
  request: ScreenRequested,
  ids: RequestIds,
  { code, detail }: Refused = { code: 'screening_failed', detail: 'told to' },
): NewRecord {
  const failedAt = new Date().toISOString()
  return record(codec, {
    type: 'ScreeningFailed',
    data: {
      reportId: request.reportId,
      accountId: request.accountId,
      livemode: request.livemode,
      ...{ code, detail },
      jobId: null,
      isTransfer: request.transfer !== null,
      jobIndex: null,
      failedAt,
    },
    envelope: envelope(request, 'ScreeningFailed', failedAt, ids),
  })
}

function record(
  codec: EventCodec,
  event: DomainEvent<'ReportGenerated'> | DomainEvent<'ScreeningFailed'>,
): NewRecord {
  const { reportId, livemode } = event.data
  const target = { topic: topicOf(event.type, livemode), key: reportId, partition: reportPartition(reportId) }
  return codec.encode(event, target)
}

function envelope(
  request: ScreenRequested,
  type: string,
  time: string,
  ids: RequestIds,
): DomainEvent['envelope'] {
  const { reportId } = request
  const causes = { correlationId: reportId, causationId: ids.get(reportId) ?? reportId }
  return { id: decidedEventId(type, reportId), source: 'cupel/test', time, subject: reportId, ...causes }
}

const NO_INPUTS: ReportGenerated['inputs'] = {
  labelSetSeq: 0,
  labelView: 'current',
  labelStateSha256: '',
  labels: [],
  ownAddressLabels: [],
  cluster: null,
  policyId: 'default',
  policyVersion: 1,
  policySha256: '',
  chainTableVersion: '',
  originTableVersion: '',
  assetTableVersion: '',
  scorerVersion: 'test',
  chainStage: '',
  chainFacts: [],
  historyReading: null,
  exposure: null,
  candidates: [],
}
