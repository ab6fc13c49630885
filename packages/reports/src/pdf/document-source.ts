/** Extracts from a PDF of a report the sources that it names. */
import { PRODUCER, RENDERER_VERSION } from './version.js'

export interface DocumentSource {
  /** The attached report.json. */
  readonly report: string
  /** The attached case.json; null if the PDF has no case. */
  readonly caseText: string | null
  /** The attached brand.json: what the document shows of the operator; null if it shows nothing. */
  readonly brandText: string | null
  /** Version of the renderer that the information of the document names; null if it names none. */
  readonly renderer: string | null
}

const PRODUCER_START = `<pdf:Producer>${PRODUCER.slice(0, -RENDERER_VERSION.length)}`
const PRODUCER_END = '</pdf:Producer>'
/** Third-party text cannot match this: JSON and strings of a PDF escape line ends. */
const EMBEDDED = ' 0 obj\n<<\n/Type /EmbeddedFile\n'
const STREAM = '\nstream\n'
const STREAM_END = '\nendstream\n'
/** Upper limit for the dictionary of an attachment and for the dictionary of its name. */
const MAX_DICTIONARY = 1_000
/** What may follow the report. */
const ORDERS: ReadonlySet<string> = new Set(['', 'case.json', 'brand.json', 'case.json brand.json'])
/** More attachments than any PDF of a report has. */
const MAX_ATTACHMENTS = 4

/**
 * Null if nothing is attached in the way a renderer of this service does it. The result is not trusted: a caller that renders it again
 * and compares finds out whether the document was made from it.
 */
export function sourceOf(pdf: Uint8Array): DocumentSource | null {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
  const [report, ...others] = attachmentsOf(bytes)
  const order = others.map(({ name }) => name).join(' ')
  if (report?.name !== 'report.json' || !ORDERS.has(order)) return null
  const textOf = (name: string): string | null => others.find((one) => one.name === name)?.text ?? null
  return {
    ...{ report: report.text, caseText: textOf('case.json'), brandText: textOf('brand.json') },
    renderer: rendererOf(bytes),
  }
}

interface Attachment {
  readonly name: string | null
  readonly text: string
}

function attachmentsOf(bytes: Buffer): Attachment[] {
  const found: Attachment[] = []
  for (let at = bytes.indexOf(EMBEDDED); at >= 0 && found.length < MAX_ATTACHMENTS;) {
    const head = bytes.toString('latin1', at, at + MAX_DICTIONARY)
    const begin = head.indexOf(STREAM)
    const length = /\/Length (\d{1,9})\n/.exec(begin < 0 ? '' : head.slice(0, begin))?.[1]
    if (length === undefined) return found
    const start = at + begin + STREAM.length
    const end = start + Number(length)
    const tail = bytes.toString('latin1', end, end + MAX_DICTIONARY)
    const name = tail.startsWith(STREAM_END)
      ? /\/Type \/Filespec[^>]*\n\/F \(([^)]*)\)/.exec(tail)?.[1]
      : null
    found.push({ name: name ?? null, text: bytes.toString('utf8', start, end) })
    at = bytes.indexOf(EMBEDDED, end)
  }
  return found
}

/** The information comes after all third-party text. */
function rendererOf(bytes: Buffer): string | null {
  const at = bytes.lastIndexOf(PRODUCER_START)
  const end = at < 0 ? -1 : bytes.indexOf(PRODUCER_END, at)
  const version = bytes.toString('latin1', at + PRODUCER_START.length, end)
  return end > at && /^[0-9]{1,9}$/.test(version) ? version : null
}
