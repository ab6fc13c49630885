/**
 * Checks whether a PDF belongs to a proven report. The report is attached to it: once the report is proven, the document is rendered again,
 * and must be the same byte for byte.
 */
import type { RecordedLeaf } from '@cupel/contracts'
import {
  differenceOf,
  parseBrand,
  RENDERER_VERSION,
  sourceOf,
  type Brand,
  type Difference,
  type DocumentSource,
  type PdfRenderer,
} from '@cupel/reports/pdf'
import type { PublicKey } from '@cupel/signing'
import {
  UnprovenReportError,
  verifyReport,
  type ProvenReport,
  type WitnessPolicy,
} from '../../transparency/index.js'
import { isProvenCase } from './proven-case.js'

export interface ShownPdf {
  readonly pdf: Uint8Array
  readonly proof: Uint8Array
  readonly keys: readonly PublicKey[]
  readonly policy: WitnessPolicy
  /** Whether a case may follow the report that the proof does not cover. */
  readonly takesCase: boolean
  readonly renderer: Pick<PdfRenderer, 'render' | 'renderWithCase'>
}

export interface ComparedDocument {
  readonly renderer: string
  readonly hasUnprovenCase: boolean
  readonly hasProvenCase: boolean
}

export type ProvenPdf = ProvenReport & { readonly document: ComparedDocument }

/** PDFs of reports are shorter. */
export const MAX_PDF_BYTES = 64 * 1_048_576

/** Throws UnprovenReportError, with a sentence that names the part of the document that is wrong. */
export async function verifyPdf(shown: ShownPdf): Promise<ProvenPdf> {
  const { pdf, proof, keys, policy, takesCase } = shown
  if (pdf.length > MAX_PDF_BYTES)
    throw new UnprovenReportError(`The file has ${pdf.length} bytes, and no PDF of a report has so many.`)
  const source = sourceOf(pdf)
  if (source === null)
    throw new UnprovenReportError('The PDF has no report.json attached as this service attaches it.')
  const proven = await provenAttachment(source.report, () =>
    verifyReport(Buffer.from(source.report), proof, keys, policy),
  )
  const { caseText, report } = source
  const hasProvenCase = caseText !== null && isProvenCase(caseText, report, proven.entries)
  if (caseText !== null && !hasProvenCase && (proven.entries.length > 0 || !takesCase))
    throw new UnprovenReportError(
      proven.entries.length > 0
        ? 'The case in the appendix of the PDF is not the one of the proof, or its texts were erased since. With the proof of the report and --unproven-case everything else in it is checked.'
        : 'The PDF has a case as an appendix, and this proof covers only the report: give the proof of the case. With --unproven-case everything else in it is checked.',
    )
  if (source.renderer !== RENDERER_VERSION) throw new UnprovenReportError(otherRenderer(source.renderer))
  const leaf = { log: proven.log, hash: proven.leafHash }
  await compareDocument(shown, source, leaf)
  const hasUnprovenCase = caseText !== null && !hasProvenCase
  return { ...proven, document: { renderer: RENDERER_VERSION, hasUnprovenCase, hasProvenCase } }
}

async function compareDocument(
  { pdf, renderer }: ShownPdf,
  { report, caseText, brandText }: DocumentSource,
  leaf: RecordedLeaf,
): Promise<void> {
  const brand = brandText === null ? null : shownBrand(brandText)
  const again = await rendered(
    caseText === null
      ? renderer.render(report, leaf, undefined, brand)
      : renderer.renderWithCase(report, caseText, leaf, undefined, brand),
  )
  const difference = differenceOf(pdf, again)
  if (difference !== null) throw new UnprovenReportError(changed(difference))
}

/** Name and logo are the statement of whoever made the document; that nothing else is shown with them is checked. */
function shownBrand(text: string): Brand {
  try {
    return parseBrand(text)
  } catch (cause) {
    throw new UnprovenReportError('The brand.json of the PDF is not one of this service.', { cause })
  }
}

async function provenAttachment(report: string, verify: () => Promise<ProvenReport>): Promise<ProvenReport> {
  try {
    return await verify()
  } catch (cause) {
    if (!(cause instanceof UnprovenReportError)) throw cause
    const why = `The report.json that is attached to the PDF, of ${Buffer.byteLength(report)} bytes, is not proven.`
    throw new UnprovenReportError(`${why} ${cause.message}`, { cause })
  }
}

/** The report is proven, so it can be rendered; the case is the proven one, or is taken from the file unchecked. */
async function rendered(pdf: Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await pdf
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n')
    throw new UnprovenReportError(`The document cannot be made again and compared. ${why}`, { cause })
  }
}

function otherRenderer(named: string | null): string {
  const proven = 'The attached report.json is proven, and the pages are not:'
  return named === null
    ? `${proven} the information of the PDF names no renderer. It was changed, or is older than renderer 4.`
    : `${proven} the information of the PDF names renderer ${named}, and this release has renderer ${RENDERER_VERSION}. Check it with a release that has renderer ${named}, or get the PDF again.`
}

function changed({ place, offset, isCutOff, pages, expectedPages }: Difference): string {
  const how = isCutOff
    ? `it ends in ${place}, after ${offset} bytes`
    : `it differs in ${place}, at byte ${offset}`
  const counted =
    pages === expectedPages
      ? ''
      : ` It has ${pages} pages, and the document of the report has ${expectedPages}.`
  return `The PDF is not the one of its report: ${how}.${counted}`
}
