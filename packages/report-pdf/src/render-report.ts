/**
 * Renders one stored report, one ended bulk job, or one audit, as a PDF. The same text, with the same leaf of a report, gives the same
 * bytes, in every process and for one version of the renderer.
 */
import type { Report, ReportCase, ReportLeaf } from '@cupel/contracts'
import {
  auditDocument,
  bulkDocument,
  caseDocument,
  reportDocument,
  type AuditStatement,
  type BulkJobText,
} from '@cupel/report-document'
import { auditDefinition } from './audit-definition.js'
import { bulkDefinition } from './bulk-definition.js'
import { documentDefinition } from './document-definition.js'
import { fontFiles, isFontFile, reuseParsedFonts } from './fonts.js'
import { takeLayoutShortcuts } from './layout-shortcuts.js'
import { loadPdfMake } from './pdfmake.js'
import { tableLayouts } from './style.js'

let isPrepared = false

/** `json`: the text of the report as it is stored. `leaf`: that of the report, where it is known. Rejects where it is no report. */
export async function renderReport(json: string, leaf: ReportLeaf | null = null): Promise<Uint8Array> {
  const document = reportDocument(JSON.parse(json) as Report, leaf)
  return await rendered(documentDefinition(document, json))
}

/** `json`: an array of two texts, of the report as it is stored and of its case as the API gives it. */
export async function renderWithCase(json: string, leaf: ReportLeaf | null = null): Promise<Uint8Array> {
  const [reportJson, caseJson] = JSON.parse(json) as [string, string]
  const document = reportDocument(JSON.parse(reportJson) as Report, leaf)
  const appendix = { document: caseDocument(JSON.parse(caseJson) as ReportCase), json: caseJson }
  return await rendered(documentDefinition(document, reportJson, appendix))
}

/** `json`: the text of the job as the API gives it once it has ended, with its results. Rejects where it is no such job. */
export async function renderBulk(json: string): Promise<Uint8Array> {
  return await rendered(bulkDefinition(bulkDocument(JSON.parse(json) as BulkJobText)))
}

/** `json`: the statement of an audit as it is to be attached. Rejects where it is none. */
export async function renderAudit(json: string): Promise<Uint8Array> {
  return await rendered(auditDefinition(auditDocument(JSON.parse(json) as AuditStatement, json), json))
}

async function rendered(definition: object): Promise<Uint8Array> {
  const pdfMake = loadPdfMake()
  if (!isPrepared) {
    reuseParsedFonts()
    takeLayoutShortcuts()
    pdfMake.setFonts(fontFiles)
    pdfMake.setTableLayouts(tableLayouts)
    // A PDF contains what is in the report: nothing is fetched, and no file is read but fonts.
    pdfMake.setUrlAccessPolicy(() => false)
    pdfMake.setLocalAccessPolicy(isFontFile)
    isPrepared = true
  }
  return await pdfMake.createPdf(definition).getBuffer()
}
