/** Renders one stored report as a PDF. The same report gives the same bytes, in every process and for one version of the renderer. */
import type { Report } from '@cupel/contracts'
import { reportDocument } from '@cupel/report-document'
import { documentDefinition } from './document-definition.js'
import { fontFiles, isFontFile, reuseParsedFonts } from './fonts.js'
import { takeLayoutShortcuts } from './layout-shortcuts.js'
import { loadPdfMake } from './pdfmake.js'
import { tableLayouts } from './style.js'

let isPrepared = false

/** `json`: the text of the report as it is stored. Rejects where it is no report. */
export async function renderReport(json: string): Promise<Uint8Array> {
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
  const document = reportDocument(JSON.parse(json) as Report)
  return await pdfMake.createPdf(documentDefinition(document, json)).getBuffer()
}
