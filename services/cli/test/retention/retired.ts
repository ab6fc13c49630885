/** An installation with a report of an old month before one of this month in one partition, and an archive that has both. */
import { join } from 'node:path'
import { reportPartition, type ReportGenerated } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '@cupel/domain'
import type { EventLog } from '@cupel/event-log'
import { publishKeys, SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { documentReader, documentsOf, getReport } from '@cupel/reports/read-model'
import { readSigningKeys } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { expect } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED } from '../some-labels.js'
import { giveLeaves } from './leaves.js'

export const MONTH = '2024-01'
const LAST_MOMENT = '2024-01-31T23:59:59.999Z'

export interface Retired extends Decided {
  readonly archive: string
  readonly old: ReportGenerated
  readonly present: ReportGenerated
  /** One more report of the old month. */
  appendOld(): Promise<void>
  /** Every record gets its leaf, and the archive has them. */
  keep(): Promise<void>
  /** Ids of the reports whose rows have their documents. */
  documents(): Promise<readonly string[]>
  /** The document as the API reads it. */
  read(report: ReportGenerated, log?: EventLog): Promise<string | undefined>
  /** The months that the audit log names. */
  retired(): Promise<readonly Record<string, unknown>[]>
}

export async function openRetired(options: Parameters<typeof openDecided>[0] = {}): Promise<Retired> {
  const decided = await openDecided({ signs: true, ...options })
  // As a projector does that has them.
  await publishKeys(decided.database, readSigningKeys(join(decided.folder, SIGNING_KEYS_FILE)))
  const archive = join(decided.folder, 'archive')
  await decided.importLabels('sdn', [SANCTIONED.row])
  const screened = await decided.screen(SANCTIONED.address, 'ETH')
  const [old, present] = [copyOf(screened, 1, LAST_MOMENT), copyOf(screened, 2, screened.generatedAt)]
  const own: Retired = {
    ...{ ...decided, archive, old, present },
    appendOld: () => decided.appendAgain(copyOf(screened, 3, LAST_MOMENT)),
    async keep() {
      await giveLeaves(decided)
      expect((await decided.cupel('archive', 'create', archive)).error).toBeNull()
    },
    async documents() {
      const rows = await decided.database.query<{ id: string }>(
        'SELECT report_id AS id FROM report_view.report WHERE document IS NOT NULL ORDER BY id',
      )
      return rows.map(({ id }) => id)
    },
    async read({ reportId, accountId, livemode }, log = decided.log) {
      const owner = { accountId, livemode }
      const found = await getReport(decided.database, { ...owner, reportId })
      if (found?.state !== 'generated') return undefined
      return (await documentsOf(documentReader({ ...decided, log }), owner, [found.document]))[0]
    },
    async retired() {
      const { out } = await decided.cupel('audit', 'export')
      return out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> })
        .filter(({ type }) => type === 'MonthRetired')
        .map(({ data }) => data)
    },
  }
  for (const report of [old, present]) await decided.appendAgain(report)
  await until(async () => expect(await own.documents()).toHaveLength(3))
  await own.keep()
  return own
}

/** The same screening under another id and at another time, in a partition that has no report of the original. */
function copyOf({ ...report }: ReportGenerated, number: number, at: string): ReportGenerated {
  const { reportId, generatedAt } = report
  const stem = reportId.slice(1, -2)
  const ids = Array.from({ length: 100 }, (_, end) => `${number}${stem}${String(end).padStart(2, '0')}`)
  const id = ids.find((each) => reportPartition(each) !== reportPartition(reportId))!
  const text = JSON.stringify(report).replaceAll(reportId, id).replaceAll(generatedAt, at)
  const data = JSON.parse(text) as ReportGenerated
  return { ...data, reportSha256: sha256Hex(canonicalJson(JSON.parse(data.report))) }
}
