/** Changes presented PDFs of reports: the PDF differs from the proven report. */
import type { RecordedLeaf } from '@cupel/contracts'
import type { PdfRenderer } from '@cupel/reports/pdf'
import { NO_WITNESSES, UnprovenReportError, verifyReport } from '@cupel/evidence/transparency'
import { verifyPdf } from '@cupel/evidence/commands'
import type { Evidence, ProvenDocument } from './evidence.js'
import { below, flipped, oneOf, otherDigit, type Kind, type Random } from './kinds.js'

interface ShownDocument extends ProvenDocument {
  readonly leaf: RecordedLeaf
  readonly pdf: Buffer
}

interface Changing {
  readonly shown: ShownDocument
  /** The document of another report. */
  readonly other: ShownDocument
  readonly random: Random
}

interface Way {
  readonly weight: number
  readonly change: (changing: Changing) => Buffer
  /** The refusal must match this pattern. */
  readonly names: RegExp
}

type Renders = Pick<PdfRenderer, 'render' | 'renderWithCase'>

const remembered = new WeakMap<PdfRenderer, Renders>()

/** Each document is rendered only once, because that takes much longer than a trial. */
function rendersOf({ renderer }: Evidence): Renders {
  const before = remembered.get(renderer)
  if (before !== undefined) return before
  const known = new Map<string, Promise<Uint8Array>>()
  const renders: Renders = {
    render(report, leaf) {
      const key = JSON.stringify([report, leaf])
      const pdf = known.get(key) ?? renderer.render(report, leaf)
      known.set(key, pdf)
      return pdf
    },
    renderWithCase: () => Promise.reject(new Error('No trial has a case')),
  }
  remembered.set(renderer, renders)
  return renders
}

const ATTACHED =
  /The report\.json that is attached to the PDF, of \d+ bytes, is not proven\. The report is not the one/
const differs = (place: string): RegExp => new RegExp(`: it differs in ${place}, at byte \\d+\\.`)
const PAGE = differs('page \\d')
const INFORMATION = differs('the information of the document')

/** Replaces one of the matches of the pattern. */
function replaced(
  { shown: { pdf }, random }: Changing,
  pattern: RegExp,
  by: (found: string, random: Random) => string,
): Buffer {
  const text = pdf.toString('latin1')
  const found = oneOf(random, [...text.matchAll(pattern)])
  const end = found.index + found[0].length
  return Buffer.from(text.slice(0, found.index) + by(found[0], random) + text.slice(end), 'latin1')
}

/** Joins the part of one PDF before its pages and the rest of another one. */
function spliced(front: Buffer, rest: Buffer): Buffer {
  const pages = '\n/Type /Page\n'
  return Buffer.concat([front.subarray(0, front.indexOf(pages)), rest.subarray(rest.indexOf(pages))])
}

const ways: Readonly<Record<string, Way>> = {
  'another letter on a page': {
    weight: 2,
    names: PAGE,
    change: (changing) => replaced(changing, /\[<[0-9a-f]{4,}>(?=.*\] TJ)/g, otherDigit),
  },
  'a PDF of another report': { weight: 1, names: ATTACHED, change: ({ other }) => other.pdf },
  'pages of another report': {
    weight: 1,
    names: PAGE,
    change: ({ shown, other }) => spliced(shown.pdf, other.pdf),
  },
  'the attachment of another report': {
    weight: 1,
    names: ATTACHED,
    change: ({ shown, other }) => spliced(other.pdf, shown.pdf),
  },
  'a digit of the attachment': {
    weight: 2,
    names: ATTACHED,
    change: (changing) => replaced(changing, /\{"report_id".*\}\n/g, otherDigit),
  },
  'a page removed': {
    weight: 1,
    names: differs('the list of pages'),
    change: (changing) =>
      replaced(changing, /\/Kids \[.*\]/g, (kids, random) => {
        const pages = kids.match(/\d+ 0 R/g)!
        const removed = oneOf(random, pages)
        const kept = pages.filter((page) => page !== removed)
        return `/Kids [${kept.join(' ')}]`
      }),
  },
  'another date': {
    weight: 1,
    names: INFORMATION,
    change: (changing) => replaced(changing, /\n\(D:\d{14}Z\)/g, otherDigit),
  },
  'another renderer': {
    weight: 0.5,
    names:
      /The attached report\.json is proven, and the pages are not: the information of the PDF names renderer \d+/,
    change: (changing) => replaced(changing, /<pdf:Producer>Cupel renderer \d+/g, otherDigit),
  },
  'a change appended': {
    weight: 1,
    names: differs('what follows the end of the document'),
    change: ({ shown: { pdf }, random }) =>
      Buffer.concat([pdf, Buffer.from(`\n10 0 obj\n<<\n/Type /Page\n>>\nendobj\n${random()}`)]),
  },
  'cut off behind the information': {
    weight: 1,
    names:
      /: it ends in (?:the information|the structure|the list of pages|the table|page \d|a font)[^,]*, after \d+ bytes\./,
    change: ({ shown: { pdf }, random }) => {
      const end = pdf.lastIndexOf('</pdf:Producer>') + '</pdf:Producer>'.length
      return pdf.subarray(0, end + below(random, pdf.length - end))
    },
  },
}

async function shownOf(evidence: Evidence, renders: Renders, random: Random): Promise<ShownDocument[]> {
  const [first, second] = [below(random, evidence.reports.length), below(random, evidence.reports.length - 1)]
  const two = [evidence.reports[first]!, evidence.reports.filter((_, at) => at !== first)[second]!]
  return await Promise.all(
    two.map(async (proven) => {
      const { document, proof } = proven
      const { log, leafHash: hash } = await verifyReport(
        Buffer.from(document),
        Buffer.from(proof),
        evidence.publicKeys,
      )
      const leaf = { log, hash }
      const pdf = await renders.render(document, leaf)
      return { ...proven, leaf, pdf: Buffer.from(pdf) }
    }),
  )
}

async function refusalOf(
  { publicKeys }: Evidence,
  { proof }: ShownDocument,
  pdf: Buffer,
  renderer: Renders,
): Promise<string | null> {
  try {
    const asked = { keys: publicKeys, policy: NO_WITNESSES, takesCase: false, renderer }
    await verifyPdf({ pdf, proof: Buffer.from(proof), ...asked })
    return null
  } catch (error) {
    if (error instanceof UnprovenReportError) return error.message
    throw error
  }
}

const surface = { surface: 'PDF', command: 'cupel verify' } as const
const namesDifferent = /differs in [^,]+, at byte (\d+)\./
const namesSource = /attached|The attached report\.json is proven, and the pages are not: the information/

export const pdfKinds: readonly Kind[] = [
  {
    ...{ ...surface, name: 'a flipped bit', weight: 8 },
    async run(evidence, random) {
      const renders = rendersOf(evidence)
      const [shown] = await shownOf(evidence, renders, random)
      const pdf = flipped(random, shown!.pdf)
      const at = pdf.findIndex((byte, index) => byte !== shown!.pdf[index])
      const refusal = await refusalOf(evidence, shown!, pdf, renders)
      const told = namesDifferent.exec(refusal ?? '')
      return {
        isFound: refusal !== null,
        // If the source of the document is damaged, nothing is left to compare.
        isNamed: told === null ? namesSource.test(refusal ?? '') : Number(told[1]) === at,
        detail: `a flipped bit of byte ${at}: ${refusal}`,
      }
    },
  },
  ...Object.entries(ways).map(([name, { weight, change, names }]): Kind => {
    return {
      ...{ ...surface, name, weight },
      async run(evidence, random) {
        const renders = rendersOf(evidence)
        const [shown, other] = (await shownOf(evidence, renders, random)) as [ShownDocument, ShownDocument]
        const pdf = change({ shown, other, random })
        const refusal = await refusalOf(evidence, shown, pdf, renders)
        return {
          isFound: refusal !== null,
          isNamed: names.test(refusal ?? ''),
          detail: `${name}: ${refusal}`,
        }
      },
    }
  }),
]
