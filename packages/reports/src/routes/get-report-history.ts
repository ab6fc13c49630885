/** GET /v1/reports/{report_id}/history: how far the histories are that a report says are being read. */
import type { Report } from '@cupel/contracts'
import { parseAddress } from '@cupel/domain'
import type { ToldProgress } from '@cupel/ledger'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'
import type { ReportReader } from './report-reader.js'
import { refusalOf, reportPath } from './get-report.js'

/** What the scorers told of a place since a moment; null if nothing. */
export type ReadHistoryProgress = (
  place: { readonly accountId: string; readonly chain: string; readonly address: string },
  since: string,
) => Promise<ToldProgress | null>

/** A scorer tells of a reading that it began within a moment of the report. */
const UNTOLD_FOR_MS = 20_000
/** The reading may have begun for an earlier screen, and the clocks of two machines differ. */
const BEFORE_MS = 2_000

const historyReading = z
  .object({
    status: z
      .enum(['none', 'reading', 'read', 'failed', 'stopped'])
      .describe(
        'none: the report does not wait for a history. read: screen again. stopped: whoever read has died; screen again, and the reading goes on',
      ),
    reason: z.string().nullable().describe('Why it failed'),
    provider: z.string().nullable(),
    pages: z.int().min(0).describe('Pages that were read of the history that is read now'),
    pages_expected: z.int().min(0).nullable().describe('Null if the provider does not tell'),
    waiting: z.int().min(0).describe('Further histories that are still to be read'),
  })
  .meta({ id: 'HistoryProgress' })

type HistoryReading = z.infer<typeof historyReading>

export function getReportHistory(
  reports: ReportReader,
  read: ReadHistoryProgress,
  now: () => Date,
): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getReportHistory',
    method: 'GET',
    path: '/v1/reports/{report_id}/history',
    tag: 'Reports',
    summary: 'Follow the reading of a history',
    description:
      'Tells how far the histories are that a report says are being read (`coverage.history`), whichever process reads them. The report itself does not change: screen again once the status is `read`.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: [
      {
        status: 200,
        description: 'How far the reading is.',
        contentType: 'application/json',
        schema: historyReading,
        example: { ...nothing, status: 'reading', provider: 'etherscan', pages: 3, pages_expected: 5 },
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path }) {
      const found = await reports.find(caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const report = JSON.parse(found.document) as Report
      return jsonAnswer(
        200,
        JSON.stringify(await progressOf(report, { accountId: caller.accountId, read, now })),
      )
    },
  })
}

const nothing = {
  status: 'none',
  reason: null,
  provider: null,
  pages: 0,
  pages_expected: null,
  waiting: 0,
} as const

async function progressOf(
  { address, chain, generated_at: generatedAt, coverage: { history } }: Report,
  {
    accountId,
    read,
    now,
  }: { readonly accountId: string; readonly read: ReadHistoryProgress; readonly now: () => Date },
): Promise<HistoryReading> {
  if (history?.status !== 'reading') return nothing
  const parsed = parseAddress(address, chain)
  const place = { accountId, chain, address: parsed.ok ? parsed.canonical : address }
  const since = new Date(Date.parse(generatedAt) - BEFORE_MS).toISOString()
  const told = await read(place, since)
  const { pages, waiting } = told ?? history
  const isLost = told === null && now().getTime() - Date.parse(generatedAt) > UNTOLD_FOR_MS
  return {
    status: isLost ? 'stopped' : (told?.state ?? 'reading'),
    reason: told === null || told.reason === '' ? null : told.reason,
    provider: (told?.provider ?? history.provider) || null,
    ...{ pages, waiting, pages_expected: told === null ? history.pages_expected : told.pagesExpected },
  }
}
