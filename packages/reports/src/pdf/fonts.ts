/**
 * The fonts of a PDF. They come from packages, so every installation has the same bytes. Each file is parsed once per thread, because
 * parsing takes longer than rendering a page.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { allowGlyphsWithoutText, giveGlyphsTheirText } from './glyph-texts.js'
import { loadPdfDocumentClass, type EmbeddedFont, type ParsedFont, type PdfDocument } from './pdfmake.js'

const require = createRequire(import.meta.url)

const fileOf = (packageName: string, path: string): string =>
  join(dirname(require.resolve(`${packageName}/package.json`)), path)

const NOTO = '@expo-google-fonts/noto-sans'
const DEJAVU = 'dejavu-fonts-ttf'

const regularAndBold = (normal: string, bold: string): FontFiles => ({ normal, bold })
const regularAlone = (normal: string): FontFiles => ({ normal, bold: normal })

export interface FontFiles {
  readonly normal: string
  readonly bold: string
}

export type FontName = 'text' | 'code' | 'rightToLeft' | 'han' | 'hangul'

/** `text` has Latin, Cyrillic and Greek; `rightToLeft` Arabic and Hebrew; the last two have no bold. */
export const fontFiles: Readonly<Record<FontName, FontFiles>> = {
  text: regularAndBold(
    fileOf(NOTO, '400Regular/NotoSans_400Regular.ttf'),
    fileOf(NOTO, '700Bold/NotoSans_700Bold.ttf'),
  ),
  code: regularAndBold(
    fileOf(DEJAVU, 'ttf/DejaVuSansMono.ttf'),
    fileOf(DEJAVU, 'ttf/DejaVuSansMono-Bold.ttf'),
  ),
  rightToLeft: regularAndBold(
    fileOf(DEJAVU, 'ttf/DejaVuSans.ttf'),
    fileOf(DEJAVU, 'ttf/DejaVuSans-Bold.ttf'),
  ),
  han: regularAlone(fileOf(`${NOTO}-sc`, '400Regular/NotoSansSC_400Regular.ttf')),
  hangul: regularAlone(fileOf(`${NOTO}-kr`, '400Regular/NotoSansKR_400Regular.ttf')),
}

const allFiles: ReadonlySet<string> = new Set(
  Object.values(fontFiles).flatMap(({ normal, bold }) => [normal, bold]),
)

/** Whether a path is one of the fonts: a document reads no other file. */
export const isFontFile = (path: string): boolean => allFiles.has(path)

/** Number of words whose glyphs a thread keeps for each font: words that reports repeat, about 1 kB each. */
const MAX_KNOWN_WORDS = 5_000

interface KnownFont {
  readonly parsed: ParsedFont
  words: EmbeddedFont['layoutCache']
  readonly Embedded: new (document: PdfDocument, parsed: ParsedFont, id: string) => EmbeddedFont
}

const knownFonts = new Map<string, KnownFont>()

function knownFont(file: string): KnownFont {
  const known = knownFonts.get(file)
  if (known !== undefined) return known
  const PdfDocumentClass = loadPdfDocumentClass()
  const { _font: font } = new PdfDocumentClass({}, {}, {}, {}, { autoFirstPage: false, font: null }).font(
    file,
  )
  giveGlyphsTheirText(font.font)
  const opened = {
    parsed: font.font,
    words: Object.create(null) as KnownFont['words'],
    Embedded: font.constructor as KnownFont['Embedded'],
  }
  knownFonts.set(file, opened)
  return opened
}

/** In both weights. */
export function hasGlyph(name: FontName, codePoint: number): boolean {
  const { normal, bold } = fontFiles[name]
  return [normal, bold].every((file) => knownFont(file).parsed.hasGlyphForCodePoint(codePoint))
}

/** Makes every later document embed the parsed fonts instead of parsing the file again. */
export function reuseParsedFonts(): void {
  const { prototype } = loadPdfDocumentClass()
  prototype.provideFont = function (this: PdfDocument, name: FontName, isBold?: boolean): EmbeddedFont {
    const type = isBold === true ? 'bold' : 'normal'
    const cache = (this.fontCache[name] ??= {})
    const cached = cache[type]
    if (cached !== undefined) return cached
    const known = knownFont(fontFiles[name][type])
    const id = `F${++this._fontCount}`
    const font = new known.Embedded(this, known.parsed, id)
    font.layoutCache = wordsOf(known)
    allowGlyphsWithoutText(font)
    this._fontFamilies[id] = font
    cache[type] = font
    return font
  }
}

/** A document may contain any number of words, so the cache is dropped as a whole before it grows too large. */
function wordsOf(known: KnownFont): EmbeddedFont['layoutCache'] {
  if (Object.keys(known.words).length > MAX_KNOWN_WORDS)
    known.words = Object.create(null) as KnownFont['words']
  return known.words
}
