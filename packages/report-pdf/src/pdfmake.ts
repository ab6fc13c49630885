/** The library that lays out and writes PDFs, as far as it is used: it brings no types. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A part of a document definition: text, a table, a list of parts. */
export type Content = string | readonly Content[] | { readonly [name: string]: unknown }

export interface ParsedFont {
  hasGlyphForCodePoint(codePoint: number): boolean
}

export interface EmbeddedFont {
  readonly font: ParsedFont
}

/** The class below the library’s printer. Fields with an underscore are of the library that it extends. */
export interface PdfDocument {
  readonly fontCache: Record<string, Partial<Record<'normal' | 'bold', EmbeddedFont>>>
  readonly _fontFamilies: Record<string, EmbeddedFont>
  readonly _font: EmbeddedFont
  _fontCount: number
  font(file: string): PdfDocument
}

interface PdfDocumentClass {
  readonly prototype: { provideFont(name: string, isBold?: boolean): EmbeddedFont }
  new (
    fonts: object,
    images: object,
    patterns: object,
    attachments: object,
    options: Readonly<Record<string, unknown>>,
  ): PdfDocument
}

interface PdfMake {
  setFonts(fonts: object): void
  setTableLayouts(layouts: object): void
  setUrlAccessPolicy(isAllowed: (url: string) => boolean): void
  setLocalAccessPolicy(isAllowed: (path: string) => boolean): void
  createPdf(definition: object): { getBuffer(): Promise<Buffer> }
}

export const loadPdfMake = (): PdfMake => require('pdfmake') as PdfMake

export const loadPdfDocumentClass = (): PdfDocumentClass =>
  (require('pdfmake/js/PDFDocument.js') as { default: PdfDocumentClass }).default
