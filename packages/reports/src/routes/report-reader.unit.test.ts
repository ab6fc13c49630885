import { reportPartition } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import type { StoredReport } from '../read-model/queries.js'
import { expect, test } from 'vitest'
import { createReportReader, REPLAY_WAIT_MS } from './report-reader.js'

const REPORT_ID = 'rep_0000000000000007'
const OWNER = { accountId: 'acc_1', livemode: true }
const WAIT_MS = 8_000
const END = 12
const STORED: Extract<StoredReport, { state: 'generated' }> = {
  state: 'generated',
  reportId: REPORT_ID,
  document: {
    ...{ reportId: REPORT_ID, partition: 3, offset: 7 },
    ...{ document: '{}', documentMac: null },
  },
}

test('a read waits for the read model for the whole time that is configured', async () => {
  const { reader, waits } = readerOf({ hasCaughtUp: true, rows: [null, STORED] })
  expect(await reader.find(OWNER, REPORT_ID)).toEqual({ kind: 'report', document: '{}' })
  expect(waits).toEqual([{ partition: reportPartition(REPORT_ID), offset: END, timeoutMs: WAIT_MS }])
})

test('a report without a document in its row is read at its place', async () => {
  const document = { ...STORED.document, document: null }
  const { reader } = readerOf({ hasCaughtUp: true, rows: [{ ...STORED, document }] })
  expect(await reader.find(OWNER, REPORT_ID)).toEqual({ kind: 'report', document: 'acc_1 3/7' })
})

test('a read under an Idempotency-Key names a shorter wait', async () => {
  const { reader, waits } = readerOf({ hasCaughtUp: true, rows: [null, STORED] })
  await reader.find(OWNER, REPORT_ID, REPLAY_WAIT_MS)
  expect(waits.map(({ timeoutMs }) => timeoutMs)).toEqual([REPLAY_WAIT_MS])
})

test('no report is called unknown while the read model is behind', async () => {
  expect(await readerOf({ hasCaughtUp: false, rows: [null, null] }).reader.find(OWNER, REPORT_ID)).toEqual({
    kind: 'behind',
  })
  expect(await readerOf({ hasCaughtUp: true, rows: [null, null] }).reader.find(OWNER, REPORT_ID)).toEqual({
    kind: 'unknown',
  })
})

function readerOf({ hasCaughtUp, rows }: { hasCaughtUp: boolean; rows: (StoredReport | null)[] }) {
  const waits: { partition: number; offset: number; timeoutMs: number }[] = []
  const reader = createReportReader({
    log: { endOffset: () => Promise.resolve(END) } as unknown as EventLog,
    waitMs: WAIT_MS,
    read: () => Promise.resolve(rows.shift() ?? null),
    waitUntilProjected({ partition, offset }, timeoutMs) {
      waits.push({ partition, offset, timeoutMs })
      return Promise.resolve(hasCaughtUp)
    },
    isPending: () => Promise.resolve(false),
    readDocuments: ({ accountId }, claims) =>
      Promise.resolve(
        claims.map(({ sha256, partition, offset }) =>
          sha256 === null ? `${accountId} ${partition}/${offset}` : null,
        ),
      ),
  })
  return { reader, waits }
}
