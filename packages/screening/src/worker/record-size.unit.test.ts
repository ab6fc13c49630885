import { eventSchemas, reportPartition, topicOf, type EventType } from '@cupel/contracts'
import { compiledDefaultPolicy, decideScreening, type LabelSetFacts } from '@cupel/domain'
import { createEventCodec, type NewRecord } from '@cupel/event-log'
import { expect, test } from 'vitest'

/** Most bytes of key, headers and value of the report of an unlisted address. */
const MAX_REPORT_BYTES = 2_600

const types = Object.keys(eventSchemas) as EventType[]
const codec = createEventCodec({
  idOf: (subject) => types.findIndex((type) => eventSchemas[type].subject === subject) + 1,
  schemaOf: (id) => eventSchemas[types[id - 1]!]?.schema,
  refresh: () => Promise.resolve(),
})

const lists = Array.from({ length: 17 }, (_, index): LabelSetFacts => ({
  source: `source_number_${index}`,
  dataset: `dataset-number-${index}.csv`,
  sha256: 'a'.repeat(64),
  importId: '01234567-89ab-7cde-8f01-23456789abcd',
  labelSetSeq: index,
  publishedAt: '2026-11-21T08:00:00.000Z',
  asOf: '2026-11-20',
  authorityOrigin: index === 0 ? 'us-ofac' : '',
  whole: index === 0,
  confirmedAt: null,
  refreshConfigured: false,
  total: 12_345,
  visible: 12_345,
  staleBase: false,
  rows: { read: 0, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
  versionOf: [],
  parties: [],
}))

test('the record of an unlisted address stays small, however many lists there are', () => {
  const reportId = '9f2c4a1be07d6358'
  const decision = decideScreening({
    request: {
      reportId,
      accountId: 'acc_0123456789abcdef',
      livemode: true,
      address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
      canonicalAddress: '0x098b716b8aaf21512996dc57eb0615e2383e2f96',
      chain: 'ETH',
      candidateChains: [],
      customerReference: 'customer-0123456789',
      reportUrl: `https://cupel.example.org/v1/reports/${reportId}`,
      jobId: null,
      jobIndex: null,
    },
    snapshot: {
      labelSetSeq: 17,
      labelView: 'current',
      labelsAsOf: '2026-11-21T08:00:00.000Z',
      labelSets: lists,
      labels: [],
    },
    policy: compiledDefaultPolicy,
    generatedAt: '2026-11-21T09:00:00.000Z',
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  const id = '01234567-89ab-7cde-8f01-23456789abcd'
  const envelope = {
    ...{ id, source: 'cupel/scorer', time: '2026-11-21T09:00:00.000Z', subject: reportId },
    ...{ correlationId: id, causationId: id, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  }
  const record = codec.encode(
    { type: 'ReportGenerated', data: decision.event, envelope },
    { topic: topicOf('ReportGenerated'), key: reportId, partition: reportPartition(reportId) },
  )
  expect(bytesOf(record)).toBeLessThanOrEqual(MAX_REPORT_BYTES)
})

function bytesOf({ key, value, headers }: NewRecord): number {
  const texts = [key, ...Object.entries(headers).flat()]
  return (value?.length ?? 0) + texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
}
