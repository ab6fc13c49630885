/** GET /v1/reports/{report_id}/pdf: a report as a document for people. The same report gives the same bytes, from the first second on. */
import type { Caller } from '@cupel/gate/access'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { PdfRenderer } from '../pdf/index.js'
import { z } from 'zod'
import { keyedEndpoint, type Endpoint, type LargeReads } from '@cupel/gate/http'
import type { ReadRecordedLeaf } from './documents/transparency-reads.js'
import type { KeptDocuments } from './documents/kept-documents.js'
import { PDF_ANSWERS, pdfAnswer } from './documents/pdf-answer.js'
import type { ReportReader } from './report-reader.js'
import { refusalOf, reportPath } from './get-report.js'

const pdfQuery = z.strictObject({
  appendix: z
    .enum(['case'])
    .optional()
    .describe(
      '`case`: the case of the report follows it, with `case.json` attached. Another document, with another ETag.',
    ),
})

/** Without cases. */
const plainQuery: z.ZodType<z.infer<typeof pdfQuery>> = z.strictObject({})

/** Reads the case of a report as JSON text for its PDF. `document` is the text of the report. */
export type ReadCaseText = (
  owner: Pick<Caller, 'accountId' | 'livemode'>,
  document: string,
) => Promise<string>

/** What may follow a report in its PDF. */
export interface Appendices {
  readonly case?: (parts: {
    readonly database: Database
    readonly secondPersonLevels: readonly string[]
  }) => ReadCaseText
}

export interface ReportPdfParts {
  readonly reports: ReportReader
  readonly pdf: PdfRenderer
  readonly keptDocuments: KeptDocuments
  readonly personalData: PersonalData
  readonly transparency: { readonly readRecordedLeaf: ReadRecordedLeaf }
}

export function getReportPdf(
  { reports, pdf: renderer, keptDocuments, personalData, transparency }: ReportPdfParts,
  readCaseText: ReadCaseText | undefined,
  largeReads: Pick<LargeReads, 'open'>,
): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>, z.infer<typeof pdfQuery>>({
    operationId: 'getReportPdf',
    method: 'GET',
    path: '/v1/reports/{report_id}/pdf',
    tag: 'Reports',
    summary: 'Get a report as a PDF',
    description:
      'The report as a document for people: PDF/A-3b, and PDF/UA-1 for screen readers, with the report itself attached as `report.json`. It names the transparency log and the hash of the leaf of the report, which follow from its record; the proof says where in the log the leaf is. So the same report gives the same bytes, from the first second on, until the renderer changes; `If-None-Match` with the `ETag` of an earlier answer is answered 304. While too many reports are being rendered the answer is 503 `unavailable` with `Retry-After`. An account renders one document after the other, and rests after each while other accounts call; with eight calls of a key under way a further one is answered 429 `rate_limited` with `Retry-After`.',
    access: 'read-only',
    pathSchema: reportPath,
    querySchema: readCaseText === undefined ? plainQuery : pdfQuery,
    answers: PDF_ANSWERS,
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller, headers }, { path, query }) {
      const found = await reports.find(caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const { accountId } = caller
      const begin = (): ReturnType<LargeReads['open']> => largeReads.open(caller)
      const [document, leaf] = await Promise.all([
        personalData.openJson(found.document, accountId),
        transparency.readRecordedLeaf(caller, path.report_id),
      ])
      const shown = `${document}\n${JSON.stringify(leaf)}${renderer.brandText}`
      if (query.appendix === 'case' && readCaseText !== undefined) {
        const caseText = await personalData.openJson(await readCaseText(caller, document), accountId)
        return await pdfAnswer(keptDocuments, headers, {
          accountId,
          identity: `${shown}\n${caseText}`,
          name: `cupel-report-${path.report_id}-with-case`,
          begin,
          render: (read) => read.aside(() => renderer.renderWithCase(document, caseText, leaf, accountId)),
        })
      }
      return await pdfAnswer(keptDocuments, headers, {
        accountId,
        identity: shown,
        name: `cupel-report-${path.report_id}`,
        begin,
        render: (read) => read.aside(() => renderer.render(document, leaf, accountId)),
      })
    },
  })
}
