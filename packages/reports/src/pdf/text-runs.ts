/**
 * Divides text into runs of one font each, because a PDF has no fallback fonts, and puts right-to-left text into the order in which
 * it is printed. A character that no font has is written as its number, so that nothing is dropped silently.
 */
import { createRequire } from 'node:module'
import { hasGlyph, type FontName } from './fonts.js'

export interface TextRun {
  readonly text: string
  readonly font: FontName
}

interface Bidi {
  /** Odd levels run from right to left. */
  getEmbeddingLevels(text: string, direction: 'ltr'): { readonly levels: Uint8Array }
  getMirroredCharacter(character: string): string | null
}

const bidi = (createRequire(import.meta.url)('bidi-js') as () => Bidi)()
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
/** In the order in which they are tried. The large fonts come last: they are parsed only if needed. */
const FALLBACKS: readonly FontName[] = ['text', 'rightToLeft', 'han', 'hangul']

/** Runs from left to right. `font` is tried first. */
export function textRuns(text: string, font: FontName = 'text'): readonly TextRun[] {
  const pieces = RIGHT_TO_LEFT.test(text) ? inPrintOrder(text) : [text]
  return pieces.flatMap((piece) => runsOf(piece, font))
}

function runsOf(text: string, preferred: FontName): readonly TextRun[] {
  const runs: { text: string; font: FontName }[] = []
  for (const character of text) {
    const previous = runs.at(-1)
    const font = fontOf(character, preferred, previous?.font)
    const shown = font === null ? escaped(character) : character
    if (previous !== undefined && previous.font === (font ?? preferred)) previous.text += shown
    else runs.push({ text: shown, font: font ?? preferred })
  }
  return runs
}

const escaped = (character: string): string =>
  `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`

/** Spaces and punctuation stay in the font of the text before them. Null if no font has the character. */
function fontOf(character: string, preferred: FontName, previous: FontName | undefined): FontName | null {
  const codePoint = character.codePointAt(0)!
  if (codePoint < 0x80 && previous !== 'rightToLeft') return preferred
  if (RIGHT_TO_LEFT.test(character) && hasGlyph('rightToLeft', codePoint)) return 'rightToLeft'
  const isNeutral = !/[\p{L}\p{N}]/u.test(character)
  if (isNeutral && previous !== undefined && hasGlyph(previous, codePoint)) return previous
  return [preferred, ...FALLBACKS].find((font) => hasGlyph(font, codePoint)) ?? null
}

interface Piece {
  readonly text: string
  readonly level: number
}

/**
 * Words in the order of print. The font engine prints the letters of a right-to-left word from right to left, so their order
 * stays. If right-to-left text wraps, its last words are on the first line.
 */
function inPrintOrder(text: string): readonly string[] {
  const { levels } = bidi.getEmbeddingLevels(text, 'ltr')
  const pieces = piecesOf(text, levels)
  const highest = Math.max(...pieces.map(({ level }) => level))
  for (let level = highest; level >= 1; level -= 1) reverseFrom(pieces, level)
  return pieces.map(printed)
}

/** Words and spaces, divided further where the direction changes. */
function piecesOf(text: string, levels: Uint8Array): Piece[] {
  const pieces: { text: string; level: number }[] = []
  for (const { 0: word, index } of text.matchAll(/\s+|\S+/g)) {
    let last: { text: string; level: number } | null = null
    for (let at = index; at < index + word.length; at += 1) {
      const level = levels[at]!
      if (last === null || last.level !== level) pieces.push((last = { text: '', level }))
      last.text += text[at]!
    }
  }
  return pieces
}

/** Reverses every series of pieces of at least this level. */
function reverseFrom(pieces: Piece[], level: number): void {
  let start = 0
  while (start < pieces.length) {
    let end = start
    while (end < pieces.length && pieces[end]!.level >= level) end += 1
    pieces.splice(start, end - start, ...pieces.slice(start, end).reverse())
    start = end + 1
  }
}

/** Punctuation by itself has no direction, so the font engine cannot reverse it. */
function printed({ text, level }: Piece): string {
  if (level % 2 === 0 || RIGHT_TO_LEFT.test(text)) return text
  return [...text]
    .reverse()
    .map((character) => bidi.getMirroredCharacter(character) ?? character)
    .join('')
}
