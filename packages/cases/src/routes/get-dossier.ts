/** GET /v1/reports/{report_id}/case/dossier: a case with every report of its subject, as a document to write a filing from. */
import { readCase } from '../index.js'
import type { Report, ReportCase } from '@cupel/contracts'
import type { DossierReport, DossierText } from '@cupel/reports/document'
import type { z } from 'zod'
import {
  PDF_ANSWERS,
  pdfAnswer,
  filterOf,
  type ReportListing,
  type ReportPdfParts,
  refusalOf,
  reportPath,
} from '@cupel/reports/routes'
import {
  keyedEndpoint,
  type Endpoint,
  type KeyedCall,
  type LargeRead,
  type LargeReads,
} from '@cupel/gate/http'
import { CASES_TAG, factsOf, type CaseParts } from './case-description.js'
import { caseDocument } from './case-document.js'

/** Other reports of a dossier, newest first. */
const MAX_OTHERS = 10

export interface DossierParts extends ReportPdfParts, Omit<CaseParts, 'reports' | 'personalData'> {
  readonly listing: Pick<ReportListing, 'list'>
}

export function getCaseDossier(parts: DossierParts, largeReads: Pick<LargeReads, 'during'>): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getCaseDossier',
    method: 'GET',
    path: '/v1/reports/{report_id}/case/dossier',
    tag: CASES_TAG,
    summary: 'Get the dossier of a case as a PDF',
    description: `The material of a filing: the subject, the verdict and the reasons of this report and of up to ${MAX_OTHERS} other reports of the address and of the customer reference, every decision with name and time, the notes, the names and hashes of the files, and what proves each report. PDF/A-3b and PDF/UA-1, with all of it attached as \`dossier.json\`. The same case and reports give the same bytes; \`If-None-Match\` with the \`ETag\` of an earlier answer is answered 304. It is refused as the PDF of a report is.`,
    access: 'read-only',
    pathSchema: reportPath,
    answers: PDF_ANSWERS,
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller, headers }, { path: { report_id: reportId } }) {
      const found = await parts.reports.find(caller, reportId)
      if (found.kind !== 'report') return refusalOf(found.kind, reportId)
      return await largeReads.during(caller, async (read) => {
        const { accountId } = caller
        const text = await dossierText({ ...parts, caller, turn: (work) => read.slice(work) }, found.document)
        return await pdfAnswer(parts.keptDocuments, headers, {
          accountId,
          identity: `dossier\n${text}${parts.pdf.brandText}`,
          name: `cupel-case-${reportId}`,
          begin: () => read,
          render: () => read.aside(() => parts.pdf.renderDossier(text, accountId)),
        })
      })
    },
  })
}

interface DossierRead extends DossierParts {
  readonly caller: KeyedCall['caller']
  /** Each report of a dossier costs as much as a call for it: each is read in a turn. */
  readonly turn: LargeRead['slice']
}

/** JSON of DossierText, opened. `stored`: the report of the case. */
async function dossierText(parts: DossierRead, stored: string): Promise<string> {
  const { turn, caller, personalData } = parts
  const open = (text: string): Promise<string> => personalData.openJson(text, caller.accountId)
  const document = await turn(() => open(stored))
  const { others, isWhole } = await turn(() => othersOf(parts, JSON.parse(document) as Report))
  const first = await turn(() => dossierReport(parts, document))
  const reports = [first]
  for (const other of others) reports.push(await turn(() => dossierReport(parts, other)))
  const reportCase = first.case ?? caseDocument(factsOf(document), null, parts.secondPersonLevels)
  const dossier: DossierText = { case: reportCase, reports, is_whole: isWhole }
  return await turn(() => open(JSON.stringify(dossier)))
}

async function dossierReport(
  { database, secondPersonLevels, transparency, caller }: DossierRead,
  document: string,
): Promise<DossierReport> {
  const facts = factsOf(document)
  const { accountId, livemode } = caller
  const [stored, leaf] = await Promise.all([
    readCase(database, { accountId, livemode, reportId: facts.reportId }),
    transparency.readRecordedLeaf(caller, facts.reportId),
  ])
  const reportCase: ReportCase | null =
    stored === null ? null : caseDocument(facts, stored, secondPersonLevels)
  return { report: JSON.parse(document) as Report, leaf, case: reportCase }
}

/** Reports of the owner of the address, and of the customer reference. */
async function othersOf(
  { listing, personalData, caller }: DossierRead,
  { report_id: ownId, address, customer_reference: reference }: Report,
): Promise<{ readonly others: readonly string[]; readonly isWhole: boolean }> {
  const filters = [
    filterOf({ address }),
    ...(reference === null ? [] : [filterOf({ customer_reference: reference })]),
  ]
  const pages = await Promise.all(
    filters.map(async (filter) => {
      // The address of a report of a later version may not be known to this one: its other reports are then not found.
      if ('code' in filter) return { items: [], next: { endedAt: '', reportId: '' } }
      return await listing.list(caller, { filter, pageSize: MAX_OTHERS + 1, after: null })
    }),
  )
  const found = new Map(
    pages.flatMap(({ items }) => items.map(({ reportId, document }) => [reportId, document])),
  )
  found.delete(ownId)
  const documents = await Promise.all(
    [...found.values()].map((each) => personalData.openJson(each, caller.accountId)),
  )
  const timeOf = (text: string): string => (JSON.parse(text) as Report).generated_at
  const newest = documents.sort((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1))
  return {
    others: newest.slice(0, MAX_OTHERS),
    isWhole: newest.length <= MAX_OTHERS && pages.every(({ next }) => next === null),
  }
}
