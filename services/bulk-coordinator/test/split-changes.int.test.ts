/** The difference of two reports in the log is split to the hundredth, or recorded without a split and with the reason. */
import { once } from 'node:events'
import { noMetrics, reportPartition, silentLogger, topicOf, type ReportGenerated } from '@cupel/contracts'
import {
  compiledDefaultPolicy,
  decideScreening,
  explainChange,
  labelState,
  type LabelFacts,
  type LabelSetFacts,
} from '@cupel/domain'
import { LogStoppedError, type EventLog } from '@cupel/event-log'
import { createMetrics } from '@cupel/kit/service'
import { openTestInstallation, testEvent, type TestInstallation } from '@cupel/testkit/installation'
import type { FoundChange } from '@cupel/watches'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSplitChanges, MAX_SPLIT_AT_ONCE, SPLIT_PER_SECOND } from '@cupel/watches/worker'

const ADDRESS = '0x098b716b8aaf21512996dc57eb0615e2383e2f96'
const PUBLISHED_AT = '2026-11-21T08:00:00.000Z'

const list = (labelSetSeq: number): LabelSetFacts => ({
  ...{ source: 'ofac_sdn', dataset: 'ofac_sdn', sha256: 'a'.repeat(64), importId: `import-${labelSetSeq}` },
  ...{ labelSetSeq, publishedAt: PUBLISHED_AT, asOf: '2026-11-20', authorityOrigin: 'us-ofac', whole: true },
  ...{ confirmedAt: null, refreshConfigured: false, total: 10, visible: 10, staleBase: false },
  ...{ rows: { read: 10, refused: 0, skipped: 0, unreadable: 0, accepted: 0 }, versionOf: [], parties: [] },
})

const label = (confidencePpm: number): LabelFacts => ({
  ...{ labelId: 'label-1', source: 'ofac_sdn', dataset: 'ofac_sdn', chain: 'ETH', address: ADDRESS },
  ...{ category: 'scam', subcategory: '', role: 'owner', entity: 'A Scam', origin: 'some-origin' },
  ...{ kind: 'forensic', confidencePpm, sourceUrl: 'https://example.org/list', observedAt: '2026-08-20' },
  ...{ validFrom: null, validTo: null, sanction: null, knownFrom: PUBLISHED_AT, knownTo: null },
})

interface World {
  readonly labelSetSeq: number
  readonly labels: readonly LabelFacts[]
  readonly generatedAt: string
}

let installation: TestInstallation
beforeAll(async () => {
  installation = await openTestInstallation()
  const { canonical, sha256, document } = compiledDefaultPolicy
  await installation.append(
    testEvent('PolicyActivated', document.id, {
      ...{ policyId: document.id, version: document.version, document: canonical, sha256 },
      ...{ activatedBy: 'test', reason: '', activatedAt: PUBLISHED_AT },
    }),
  )
})
afterAll(() => installation.close())

let reports = 0

/** Appends the report of this world, and the state of lists that it names. */
async function decided(
  { labelSetSeq, labels, generatedAt }: World,
  {
    isStateRecorded = true,
    livemode = true,
    tamper = (report: ReportGenerated): ReportGenerated => report,
  } = {},
) {
  const reportId = `${(reports += 1).toString(16).padStart(14, '0')}08`
  const snapshot = {
    ...{ labelSetSeq, labelView: 'current' as const, labelsAsOf: PUBLISHED_AT },
    ...{ labelSets: [list(labelSetSeq)], labels: [...labels] },
  }
  const decision = decideScreening({
    request: {
      ...{
        reportId,
        accountId: 'acc_1',
        livemode,
        address: ADDRESS,
        canonicalAddress: ADDRESS,
        chain: 'ETH',
      },
      ...{ candidateChains: [], customerReference: null, reportUrl: 'https://reports.example/1' },
      ...{ jobId: null, jobIndex: null },
    },
    ...{ snapshot, policy: compiledDefaultPolicy, generatedAt },
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  const state = labelState(snapshot)
  if (isStateRecorded) await installation.append(testEvent('LabelStateRecorded', state.sha256, state))
  const recorded = tamper(decision.event)
  const record = installation.codec.encode(testEvent('ReportGenerated', reportId, recorded), {
    ...{ topic: topicOf('ReportGenerated', livemode), key: reportId, partition: reportPartition(reportId) },
  })
  const [position] = await installation.log.append('test', [record])
  const place = { partition: position!.partition, offset: position!.offset }
  const shared = { labelState: state, policyDocument: compiledDefaultPolicy.canonical }
  return { at: { reportId, place }, decision: { recorded, shared }, score: recorded.score }
}

const before: World = { labelSetSeq: 1, labels: [label(400_000)], generatedAt: '2026-11-21T09:00:00.000Z' }
const after: World = { labelSetSeq: 2, labels: [label(900_000)], generatedAt: '2026-11-25T09:00:00.000Z' }
const change = (told: FoundChange['told'], next: FoundChange['next'], livemode = true): FoundChange => ({
  ...{ livemode, told, next },
})

function splitting(over: Partial<Parameters<typeof createSplitChanges>[0]> = {}) {
  const { log, codec } = installation
  return createSplitChanges({ log, codec, logger: silentLogger, metrics: noMetrics, ...over })
}

test('the parts are those of the explanation, and add up to the difference to the hundredth', async () => {
  const [told, next] = [await decided(before), await decided(after)]
  expect(next.score).not.toBe(told.score)
  const metrics = createMetrics('test')
  const [forth, back] = await splitting({ metrics })([change(told.at, next.at), change(next.at, told.at)])
  const { parts } = explainChange(told.decision, next.decision)
  expect(forth).toEqual({
    split: Object.fromEntries(
      parts.map(({ part, addedHundredths }) => [
        part === 'not_examined' ? 'notExamined' : part,
        addedHundredths / 100,
      ]),
    ),
    missing: null,
  })
  const sum = (split: object | undefined | null): number =>
    Object.values(split ?? {}).reduce((total: number, points: number) => total + Math.round(points * 100), 0)
  expect(sum(forth!.split)).toBe(Math.round(next.score * 100) - Math.round(told.score * 100))
  expect(sum(back!.split)).toBe(-sum(forth!.split))
  expect((await metrics.render()).body).toContain(
    'cupel_watches_split_total{outcome="split",service="test"} 2',
  )
})

test('what the log does not hold, and what does not follow from its record, is told without a split', async () => {
  const told = await decided(before)
  const lost = {
    reportId: told.at.reportId,
    place: { ...told.at.place, offset: told.at.place.offset + 1_000 },
  }
  const unnamed = await decided({ ...after, labelSetSeq: 77 }, { isStateRecorded: false })
  const forged = await decided(after, { tamper: (report) => ({ ...report, level: 'green', score: 0 }) })
  const unknownScorer = await decided(after, {
    tamper: (report) => ({ ...report, inputs: { ...report.inputs, scorerVersion: '99.0.0' } }),
  })
  const fine = await decided(after)
  const changes = [
    change(lost, fine.at),
    change({ reportId: told.at.reportId, place: null }, fine.at),
    change({ reportId: fine.at.reportId, place: told.at.place }, told.at),
    change(told.at, unnamed.at),
    change(told.at, forged.at),
    change(told.at, unknownScorer.at),
    change(told.at, fine.at),
  ]
  const split = splitting()
  const missing = []
  for (const one of changes) missing.push((await split([one]))[0]!.missing)
  expect(missing).toEqual([
    ...['unreadable', 'unreadable', 'unreadable', 'unreadable', 'refused', 'refused', null],
  ])
})

function truncatedLog(): never {
  throw new LogStoppedError('truncated-log', 'the oldest records were deleted')
}

test('a report whose partition lost its front does not hide the others', async () => {
  const [told, next] = [await decided(before), await decided(after)]
  const { log } = installation
  const gone = told.at
  const truncated: EventLog = Object.assign(Object.create(log) as EventLog, {
    read: (range: Parameters<EventLog['read']>[0]) =>
      range.topic === topicOf('ReportGenerated') && range.from <= gone.place.offset
        ? truncatedLog()
        : log.read(range),
  })
  const later = await decided(before)
  const splittings = await splitting({ log: truncated })([change(gone, next.at), change(later.at, next.at)])
  expect(splittings.map(({ missing }) => missing)).toEqual(['unreadable', null])
})

test('of more changes than are split at once, the others are told at once, and a second later some are split again', async () => {
  const [told, next] = [await decided(before), await decided(after)]
  let now = 0
  const split = splitting({ nowMs: () => now, maxMs: 600_000 })
  const many = (count: number) => Array.from({ length: count }, () => change(told.at, next.at))
  const missing = async (count: number) =>
    (await split(many(count))).filter((one) => one.missing === 'busy').length
  expect(await missing(MAX_SPLIT_AT_ONCE + 3)).toBe(3)
  expect(await missing(2)).toBe(2)
  now += 1_000
  expect(await missing(SPLIT_PER_SECOND + 1)).toBe(1)
})

test('reports that take long to read delay no change, and a further step does not read at the same time', async () => {
  const [told, next] = [await decided(before), await decided(after)]
  let reads = 0
  let isHeld = true
  const gate = new AbortController()
  const held = once(gate.signal, 'abort')
  const { log } = installation
  const slow: EventLog = Object.assign(Object.create(log) as EventLog, {
    async *read(range: Parameters<EventLog['read']>[0]) {
      reads += 1
      if (isHeld) await held
      yield* log.read(range)
    },
  })
  const split = splitting({ log: slow, maxMs: 1 })
  expect(await split([change(told.at, next.at)])).toEqual([{ split: null, missing: 'busy' }])
  expect(await split([change(told.at, next.at)])).toEqual([{ split: null, missing: 'busy' }])
  expect(reads).toBe(1)
  isHeld = false
  gate.abort()
})

test('a log that cannot be read is not a reason to tell nothing', async () => {
  const [told, next] = [await decided(before), await decided(after)]
  const broken: EventLog = Object.assign(Object.create(installation.log) as EventLog, {
    read: () => {
      throw new Error('no broker')
    },
  })
  expect(await splitting({ log: broken })([change(told.at, next.at)])).toEqual([
    { split: null, missing: 'busy' },
  ])
})
