/** Types for the used parts of the library that lays out and writes PDFs: it has no types of its own. */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A part of a document definition: text, a table, a list of parts. */
export type Content = string | readonly Content[] | { readonly [name: string]: unknown }

export interface Glyph {
  /** The characters it represents in a text. */
  readonly codePoints?: readonly number[]
}

export interface ParsedFont {
  hasGlyphForCodePoint(codePoint: number): boolean
  getGlyph(id: number, characters?: readonly number[]): Glyph | null
}

/** The glyphs of one word and their places. */
type GlyphRun = object

export interface EmbeddedFont {
  readonly font: ParsedFont
  /** Cache of laid-out words; it depends only on the parsed font. */
  layoutCache: Record<string, GlyphRun>
  /** Glyphs of the document, by their number in it. */
  readonly subset: { readonly glyphs: readonly number[] }
  /** Characters of the glyphs of the document, by their number in it. */
  readonly unicode: (readonly number[])[]
  toUnicodeCmap(): object
}

/** The base class of the library’s printer. Fields with an underscore belong to the library that it extends. */
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

/** One or more words of one style on a line. */
export interface Inline {
  text: string
  readonly x: number
  width: number
  readonly font: EmbeddedFont
  readonly fontSize: number
  readonly color: string
  readonly link: string | null
}

export interface Line {
  inlines: Inline[]
  /** Kept by copies of the line: what it is a part of. */
  mark?: unknown
}

export interface StyleStack {
  readonly styleOverrides: readonly Readonly<Record<string, unknown>>[]
  readonly defaultStyle: Readonly<Record<string, unknown>>
  getProperty(name: string): unknown
}

export interface Square {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** Squares that are drawn at once, from one origin; or any other shape. */
export type Vector =
  | {
      readonly type: 'squares'
      readonly x: number
      readonly y: number
      readonly squares: readonly Square[]
    }
  | Square

interface Renderer {
  readonly pdfDocument: {
    rect(x: number, y: number, width: number, height: number): void
    fill(colour: string): void
  }
}

/** `tag`, `alt`, `element` and `mark` are of structure.ts. */
export interface LaidOutNode {
  readonly headlineLevel?: number
  pageBreak?: string
  readonly tag?: string
  readonly alt?: string
  readonly text?: unknown
  readonly layout?: unknown
  readonly table?: { readonly body: readonly (readonly LaidOutNode[])[] }
  readonly ul?: readonly LaidOutNode[]
  readonly canvas?: readonly DrawnItem[]
  readonly _canvas?: readonly DrawnItem[]
  element?: unknown
  mark?: unknown
}

interface DrawnItem {
  mark?: unknown
}

interface LayoutBuilder {
  readonly writer: {
    context(): {
      readonly y: number
      getCurrentPage(): {
        readonly pageSize: { readonly height: number }
        readonly pageMargins: { readonly top: number; readonly bottom: number }
      }
    }
  }
}

/** Classes inside the library. */
export interface LayoutClasses {
  readonly TextInlines: {
    readonly prototype: {
      measure(this: object, words: readonly object[], stack: StyleStack): readonly object[]
    }
  }
  readonly StyleContextStack: {
    readonly prototype: { getProperty(this: StyleStack, name: string): unknown }
    getStyleProperty(
      item: Readonly<Record<string, unknown>>,
      stack: StyleStack | undefined,
      name: string,
      otherwise: unknown,
    ): unknown
  }
  readonly Renderer: {
    readonly prototype: {
      renderLine(this: Renderer, line: Line, x: number, y: number): void
      renderVector(this: Renderer, vector: Vector): void
    }
  }
  readonly qrEncoder: { measure(node: object): { _canvas: Vector[] } }
  readonly LayoutBuilder: {
    readonly prototype: {
      processNode(this: LayoutBuilder, node: LaidOutNode, ...rest: readonly unknown[]): unknown
    }
  }
}

const partOf = (file: string): unknown => (require(`pdfmake/js/${file}.js`) as { default: unknown }).default

export const loadLayoutClasses = (): LayoutClasses =>
  ({
    TextInlines: partOf('TextInlines'),
    StyleContextStack: partOf('StyleContextStack'),
    Renderer: partOf('Renderer'),
    qrEncoder: partOf('qrEnc'),
    LayoutBuilder: partOf('LayoutBuilder'),
  }) as LayoutClasses

/** An object of a document, which other objects refer to. */
export interface PdfReference {
  readonly data: Record<string, unknown>
  end(): void
}

/** A document in which content is marked as part of an element. */
export interface StructuredDocument {
  [field: symbol]: unknown
  readonly page: { readonly dictionary: PdfReference }
  _currentStructureElement: null | {
    readonly dictionary: { readonly data: { readonly S: string } }
    add(reference: { readonly annotationRef: PdfReference }): void
  }
  ref(data: Readonly<Record<string, unknown>>): PdfReference
  markContent(tag: 'Artifact'): void
  markStructureContent(tag: string): {
    readonly refs: readonly { readonly pageRef: PdfReference; readonly mcid: number }[]
  }
  endMarkedContent(): void
  getStructTreeRoot(): PdfReference
  getStructParentTree(): { get(key: number): unknown[]; add(key: number, value: unknown): void }
  createStructParentTreeNextKey(): number
  appendXML(xml: string): void
}

interface Tagging {
  element?: unknown
}

interface Drawing {
  readonly pdfDocument: StructuredDocument
}

/** What is tagged while it is laid out and drawn. */
export interface StructureClasses {
  readonly LayoutBuilder: {
    readonly prototype: {
      layoutDocument(
        this: Tagging,
        ...args: [content: unknown, document: StructuredDocument, ...rest: unknown[]]
      ): unknown
      processNode(this: Tagging, node: LaidOutNode, ...rest: unknown[]): void
      processTable(this: Tagging, node: LaidOutNode): void
      processList(this: Tagging, isOrdered: boolean, node: LaidOutNode): void
      buildNextLine(this: Tagging, node: LaidOutNode): Line | null
      processCanvas(this: Tagging, node: LaidOutNode): void
      processQr(this: Tagging, node: LaidOutNode): void
      processImage(this: Tagging, node: LaidOutNode): void
      processSVG(this: Tagging, node: LaidOutNode): void
    }
  }
  readonly Renderer: {
    readonly prototype: {
      renderPages(this: Drawing, pages: unknown): void
      renderLine(this: Drawing, line: Line, ...place: [number, number]): void
      renderVector(this: Drawing, vector: DrawnItem): void
      renderImage(this: Drawing, image: DrawnItem): void
      renderSVG(this: Drawing, svg: DrawnItem): void
    }
  }
}

export const loadStructureClasses = (): StructureClasses =>
  ({ Renderer: partOf('Renderer'), LayoutBuilder: partOf('LayoutBuilder') }) as StructureClasses
