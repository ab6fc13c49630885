/** The common parts of every PDF of this package: PDF/A-3b and PDF/UA-1, a footer, and the attached data. Nothing depends on the time of rendering. */
import type { Brand } from './brand.js'
import { brandHead } from './brand-head.js'
import type { Content } from './pdfmake.js'
import { PRODUCER } from './version.js'
import { colours, MARGIN, muted, sizes } from './style.js'

export interface Framed {
  readonly title: string
  readonly language: string
  /** RFC 3339: when the content of the document was decided. */
  readonly at: string
  /** The JSON that the document shows. */
  readonly attachments: readonly { readonly name: string; readonly json: string }[]
  readonly footer: string
  readonly content: readonly Content[]
  /** Of the operator; null for none. */
  readonly brand: Brand | null
}

/** The document as a definition for the library. */
export function framed({ title, language, at, attachments, footer, content, brand }: Framed): object {
  const date = new Date(at)
  return {
    version: '1.7',
    subset: 'PDF/A-3b',
    tagged: true,
    // The output of a compressor differs between machines and versions, but the bytes of a document must not.
    compress: false,
    language,
    displayTitle: true,
    info: { title, creator: 'Cupel', producer: PRODUCER, creationDate: date, modDate: date },
    files: Object.fromEntries(
      [...attachments, ...brandFiles(brand)].map(({ name, json }) => [name, fileOf(name, json, date)]),
    ),
    pageSize: 'A4',
    pageMargins: [MARGIN, 44, MARGIN, 46],
    defaultStyle: { font: 'text', fontSize: sizes.body, color: colours.ink, lineHeight: 1.12 },
    content: [...brandHead(brand), ...content],
    footer: (page: number, pages: number) => footerOf(footer, page, pages),
  }
}

/** The document names what it shows of the operator, so that it can be rendered again. */
const brandFiles = (brand: Brand | null): Framed['attachments'] =>
  brand === null ? [] : [{ name: 'brand.json', json: JSON.stringify(brand) }]

function fileOf(name: string, json: string, date: Date): object {
  return {
    src: `data:application/json;base64,${Buffer.from(json).toString('base64')}`,
    ...{ name, type: 'application/json', relationship: 'Source', creationDate: date, modifiedDate: date },
  }
}

function footerOf(text: string, page: number, pages: number): Content {
  const style = { fontSize: sizes.small }
  return {
    tag: 'Artifact',
    margin: [MARGIN, 14, MARGIN, 0],
    columns: [
      { width: '*', ...(muted(text, style) as object) },
      { width: 60, ...(muted(`${page} / ${pages}`, { ...style, alignment: 'right' }) as object) },
    ],
  }
}
