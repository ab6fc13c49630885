/** Amounts, dates, shares and foreign text, each written in one way. */
import type { Strings } from './strings.en.js'

/** Controls, format characters (among them those that reverse text), lone surrogates, private code points, blank letters. */
const INVISIBLE =
  /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

/** Text from third parties. Every invisible character is written as its number: `[U+202E]`. */
export function visibleText(text: string): string {
  return text.replaceAll(
    INVISIBLE,
    (character) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

/** At most `length` characters; an ellipsis replaces the last one if the text is longer. */
export function shortened(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}

/** An address or a hash with its middle left out, for places that cannot hold it. */
export function shortenedCode(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`
}

/** `1234567.5 ETH` → `1,234,567.5 ETH`; any other text is returned unchanged. */
export function amountText(text: string): string {
  const [, digits, rest] = /^(\d+)(.*)$/s.exec(text) ?? []
  return visibleText(digits === undefined ? text : digits.replaceAll(/\B(?=(\d{3})+$)/g, ',') + rest)
}

const GLANCE_DIGITS = 6

/** `1234567.891 ETH` → `1,234,567 ETH`, `0.00012345678 BTC` → `0.000123456 BTC`: whole units, or six digits, rounded down. Other text is unchanged. */
export function glanceText(text: string): string {
  const [, whole = '', fraction = '', rest = ''] = /^(\d+)\.(\d+)(.*)$/s.exec(text) ?? []
  if (whole === '') return amountText(text)
  const zeros = /^0*$/.test(whole) ? /^0*/.exec(fraction)![0].length : -whole.length
  const kept = fraction.slice(0, Math.max(0, zeros + GLANCE_DIGITS)).replace(/0+$/, '')
  return amountText(kept === '' ? whole + rest : `${whole}.${kept}${rest}`)
}

/** The same of an amount that is written in full: `1,234,567.891 ETH` → `1,234,567 ETH`. */
export const glanceOfFull = (text: string): string =>
  glanceText(text.replace(/^\d[\d,]*/, (digits) => digits.replaceAll(',', '')))

/** Dollars and whole cents, rounded down; a positive amount is never shown as zero. */
export function dollarText(text: string | null, strings: Strings): string {
  if (text === null) return strings.noPrice
  const [, digits, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (digits === undefined) return visibleText(text)
  const cents = fraction.padEnd(2, '0').slice(0, 2)
  const isTiny = Number(digits) === 0 && cents === '00' && /[1-9]/.test(fraction)
  return isTiny ? '< $0.01' : `$${amountText(digits)}.${cents}`
}

/** A fraction as a percentage with at most two decimals. */
export function shareText(share: number | null, strings: Strings): string {
  if (share === null) return strings.unknownShare
  const percent = share * 100
  return percent > 0 && percent < 0.01 ? '< 0.01%' : `${Number(percent.toFixed(2))}%`
}

/** A day as `2022-04-14`, a moment as `2022-04-14 09:00:00 UTC`; any other text is returned unchanged. */
export function dateText(text: string): string {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z)?$/.exec(text) ?? []
  if (day === undefined) return visibleText(text)
  return time === undefined ? day : `${day} ${time} UTC`
}

export const dateOr = (text: string | null, otherwise: string): string =>
  text === null || text === '' ? otherwise : dateText(text)

/** The words for a code; a code of a later version is shown unchanged, with a note. */
export function wordsOf(table: Readonly<Record<string, string>>, code: string, strings: Strings): string {
  return Object.hasOwn(table, code) ? table[code]! : strings.unexplained(visibleText(code))
}

/** The name for a code, or the code itself. */
export function nameOf(table: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(table, code) ? table[code]! : visibleText(code)
}

/** A link that is safe to open; undefined for every other text. */
export function safeLink(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  return new URL(text).href
}
