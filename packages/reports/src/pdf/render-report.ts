/**
 * Renders one stored report, one ended bulk job, or one audit, as a PDF. The same text, with the same leaf of a report, gives the same
 * bytes, in every process with the same version of the renderer.
 */
import type { Report, ReportCase, RecordedLeaf } from '@cupel/contracts'
import {
  auditDocument,
  bulkDocument,
  caseDocument,
  dossierDocument,
  reportDocument,
  type AuditStatement,
  type BulkJobText,
  type DossierText,
} from '../document/index.js'
import { auditDefinition } from './audit-definition.js'
import type { Brand } from './brand.js'
import { bulkDefinition } from './bulk-definition.js'
import { documentDefinition } from './document-definition.js'
import { dossierDefinition } from './dossier-definition.js'
import { fontFiles, isFontFile, reuseParsedFonts } from './fonts.js'
import { takeLayoutShortcuts } from './layout-shortcuts.js'
import { loadPdfMake } from './pdfmake.js'
import { tagDocuments } from './structure.js'
import { tableLayouts } from './style.js'

let isPrepared = false

/** `json`: the stored text of the report. `leaf`: the leaf of the report, if it is known. Rejects if the text is not a report. */
export async function renderReport(
  json: string,
  leaf: RecordedLeaf | null = null,
  brand: Brand | null = null,
): Promise<Uint8Array> {
  const document = reportDocument(JSON.parse(json) as Report, leaf)
  return await rendered(documentDefinition(document, json, { brand }))
}

/** `json`: an array of two texts: the stored report, and its case as the API returns it. */
export async function renderWithCase(
  json: string,
  leaf: RecordedLeaf | null = null,
  brand: Brand | null = null,
): Promise<Uint8Array> {
  const [reportJson, caseJson] = JSON.parse(json) as [string, string]
  const document = reportDocument(JSON.parse(reportJson) as Report, leaf)
  const appendix = { document: caseDocument(JSON.parse(caseJson) as ReportCase), json: caseJson }
  return await rendered(documentDefinition(document, reportJson, { appendix, brand }))
}

/** `json`: the text of an ended job with its results, as the API returns it. Rejects if it is not such a job. */
export async function renderBulk(
  json: string,
  _leaf: null | RecordedLeaf = null,
  brand: Brand | null = null,
): Promise<Uint8Array> {
  return await rendered(bulkDefinition(bulkDocument(JSON.parse(json) as BulkJobText), brand))
}

/** `json`: the statement of an audit, exactly as it will be attached. Rejects if it is not a statement. */
export async function renderAudit(json: string): Promise<Uint8Array> {
  return await rendered(auditDefinition(auditDocument(JSON.parse(json) as AuditStatement, json), json))
}

/** `json`: what a dossier is made of, as it will be attached. Rejects if it is none. */
export async function renderDossier(
  json: string,
  _leaf: null | RecordedLeaf = null,
  brand: Brand | null = null,
): Promise<Uint8Array> {
  const document = dossierDocument(JSON.parse(json) as DossierText)
  return await rendered(dossierDefinition(document, { json, brand }))
}

async function rendered(definition: object): Promise<Uint8Array> {
  const pdfMake = loadPdfMake()
  if (!isPrepared) {
    reuseParsedFonts()
    takeLayoutShortcuts()
    tagDocuments()
    pdfMake.setFonts(fontFiles)
    pdfMake.setTableLayouts(tableLayouts)
    // A PDF contains only the content of the report: nothing is fetched, and only font files are read.
    pdfMake.setUrlAccessPolicy(() => false)
    pdfMake.setLocalAccessPolicy(isFontFile)
    isPrepared = true
  }
  return await pdfMake.createPdf(definition).getBuffer()
}
