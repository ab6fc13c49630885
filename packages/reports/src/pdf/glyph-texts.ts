/**
 * The text that a reader copies from a PDF. The library keeps one object for each glyph of a parsed font, with the characters of its
 * first use in the process. A glyph that was first a part of another one has none. A document needs the characters of its own uses.
 */
import type { EmbeddedFont, Glyph, ParsedFont } from './pdfmake.js'

/** Makes the font return each glyph with the requested characters. */
export function giveGlyphsTheirText(font: ParsedFont): void {
  const { getGlyph } = font
  font.getGlyph = function (this: ParsedFont, id, characters = []) {
    const glyph = getGlyph.call(this, id, characters)
    return glyph === null || isSame(glyph.codePoints, characters) ? glyph : withText(glyph, characters)
  }
}

/** A glyph without characters takes those of the first use that has some. */
const withText = (glyph: Glyph, characters: readonly number[]): Glyph =>
  Object.create(glyph, {
    codePoints: { value: characters.length === 0 ? undefined : characters },
  }) as Glyph

const isSame = (some: readonly number[] | undefined, others: readonly number[]): boolean =>
  some?.length === others.length && others.length > 0 && others.every((one, at) => one === some[at])

/** Lets a document be written even if glyphs without characters remain. */
export function allowGlyphsWithoutText(font: EmbeddedFont): void {
  const { toUnicodeCmap } = font
  font.toUnicodeCmap = function (this: EmbeddedFont) {
    for (const [glyph] of this.subset.glyphs.entries()) this.unicode[glyph] ??= []
    return toUnicodeCmap.call(this)
  }
}
