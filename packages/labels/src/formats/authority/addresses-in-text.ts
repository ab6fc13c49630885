/**
 * Finds addresses in the remarks of a list. A remark is prose that contains numbers of passports and companies, so only unmistakable
 * addresses are accepted. A text that looks like an address but is none is unreadable, because it may be a misprinted one.
 */
import { findChain, parseListedAddress } from '@cupel/domain'
import { shown } from '../message.js'
import {
  addressesInside,
  isUnmistakable,
  joinedAddress,
  looksLikeAddress,
  readAddress,
  visible,
} from './lenient-address.js'

export interface AddressInText {
  readonly address: string
  readonly ticker: string | null
}

export interface AddressesInText {
  readonly found: readonly AddressInText[]
  /** Why a text that looked like an address is none, or not certainly one. */
  readonly unreadable: readonly string[]
}

/** An address of TON contains `-` and `_`; every other one has letters and digits, after an optional prefix. */
const TOKEN =
  /(?<![A-Za-z0-9_])(?:[EUk0][Qf][A-Za-z0-9_-]{46}|(?:bitcoincash:)?[A-Za-z0-9]{12,250})(?![A-Za-z0-9])/gi
/** A shorter token is at most a piece of an address. */
const SHORTEST_ADDRESS = 25
/** Whether a text may hold a whole address. */
export const hasLongWord = (text: string): boolean => /[A-Za-z0-9]{25}/.test(text)

/** Words that announce an address; they appear this close before it. */
const CURRENCY =
  /\bwallets?|crypto|block\W?chain|(?:digital|virtual)\W*(?:currenc|asset|coin|address|wallet|account)|currenc\w*\W*(?:address|wallet)|\b(?:bitcoin|ethereum|ether|tron|litecoin|monero|zcash|dash|dogecoin|solana|ripple|tether|stablecoins?)\b/i
const INTRODUCTION = new RegExp(`\\baddress(?:es)?\\b|${CURRENCY.source}`, 'i')
const INTRODUCTION_CHARACTERS = 80
/** Between two addresses of one enumeration there are a separator and perhaps another ticker. */
const ENUMERATION_CHARACTERS = 16
/** Tickers of assets that are not a chain's own; like a chain's code, they announce an address. */
const assetTickers: ReadonlySet<string> = new Set(['XBT', 'USDT', 'USDC', 'DAI', 'BUSD', 'TUSD'])

export function addressesIn(remark: string): AddressesInText {
  const found: AddressInText[] = []
  const unreadable: string[] = []
  const text = withoutBreaks(visible(remark))
  for (const pieces of scatteredIn(text)) unreadable.push(`pieces of an address: ${shown(pieces)}`)
  let previousEnd = -Infinity
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match
    const before = text.slice(Math.max(0, match.index - INTRODUCTION_CHARACTERS), match.index)
    const ticker = tickerIn(before)
    const isNamed = ticker !== null || CURRENCY.test(before)
    const isIntroduced =
      isNamed || INTRODUCTION.test(before) || match.index - previousEnd <= ENUMERATION_CHARACTERS
    const addresses = addressesOf(token, ticker ?? '', isIntroduced)
    found.push(...addresses.map((address) => ({ address, ticker })))
    const reason = addresses.length > 0 ? null : faultOf(token, ticker ?? '', { isNamed, isIntroduced })
    if (reason !== null) unreadable.push(`${reason}: ${shown(token)}`)
    if (addresses.length > 0 || reason !== null) previousEnd = match.index + token.length
  }
  const told = [...found.map(({ address }) => address), ...unreadable]
  for (const word of garbledIn(text, told)) unreadable.push(`a garbled address: ${shown(word)}`)
  return { found, unreadable }
}

function addressesOf(token: string, ticker: string, isIntroduced: boolean): readonly string[] {
  if (token.length < SHORTEST_ADDRESS) return []
  const [parsed] = readAddress(token, ticker)
  if (parsed !== undefined) {
    const isBare = /^[0-9a-f]{40}$/i.test(token)
    return isIntroduced || (isUnmistakable(parsed) && !isBare) ? [parsed.text] : []
  }
  return looksLikeAddress(token) ? addressesInside(token, ticker).map(({ text }) => text) : []
}

/** An address of Ethereum after a prefix that lost its digit, or that has a letter O instead of it. */
const PREFIXED = /x[0-9a-f]{40}(?![0-9a-f])/i

/** Why a token that is not certainly an address must be told; null for a word or a number of another kind. */
function faultOf(
  token: string,
  ticker: string,
  { isNamed, isIntroduced }: { readonly isNamed: boolean; readonly isIntroduced: boolean },
): string | null {
  if (token.length < SHORTEST_ADDRESS)
    return isNamed && looksLikeAddress(token) ? 'a piece of an address' : null
  const parsed = parseListedAddress(token, ticker)
  if (parsed.ok) return `nothing says that this is an address of ${parsed.chain}`
  const isForeign = parsed.reason === 'bad_format' || parsed.reason === 'domain_name'
  if (!isForeign || PREFIXED.test(token) || (isIntroduced && looksLikeAddress(token)))
    return parsed.reason.replaceAll('_', ' ')
  return null
}

/** Whether a text names a currency, or a chain by its ticker. */
export const announcesAddress = (text: string): boolean => CURRENCY.test(text) || tickerIn(text) !== null

/** A piece of an address that has both letters and digits; words of a sentence have no digits. */
const PIECE = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9]{6,}$/

/** The text with every address in one piece that spaces, line breaks or hyphens divide, if its checksum proves it. */
function withoutBreaks(text: string): string {
  // Words and what is between them, in turn.
  const parts = text.split(/([^A-Za-z0-9:]+)/)
  if (!parts.some((part) => PIECE.test(part))) return text
  let whole = ''
  for (let at = 0; at < parts.length;) {
    const pieces = piecesAt(parts, at)
    const joined = pieces.some((piece) => PIECE.test(piece)) ? joinedAddress(pieces, '') : undefined
    whole += joined?.addresses[0]?.text ?? parts[at]! + (parts[at + 1] ?? '')
    if (joined === undefined) at += 2
    else {
      at += joined.pieces * 2
      whole += parts[at - 1] ?? ''
    }
  }
  return whole
}

/** The most words that a line break or a table makes of one address. */
const MAX_PIECES = 6

/** The words from here on between which there are only spaces, line breaks and hyphens. */
function piecesAt(parts: readonly string[], start: number): readonly string[] {
  const pieces = [parts[start]!]
  for (let at = start + 1; at + 1 < parts.length && pieces.length < MAX_PIECES; at += 2) {
    if (!/^[\s\p{Pd}]+$/u.test(parts[at]!) || parts[at + 1] === '') break
    pieces.push(parts[at + 1]!)
  }
  return pieces
}

/** Words with only spaces, line breaks and hyphens between them. */
const RUN = /[A-Za-z0-9]+(?:[\s\p{Pd}]+[A-Za-z0-9]+)+/gu
/** A word that no sentence has: with a digit and a letter, or with a capital in it. */
const FRAGMENT = /^(?=.*[A-Za-z])(?:.*\d.*|.*[a-z][A-Z].*)$/
const MAX_FRAGMENT_CHARACTERS = 25
const SCATTERED_CHARACTERS = 12

/** Small pieces after a word that announces an address: together they may be one that no checksum proves. */
function scatteredIn(text: string): readonly string[] {
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const words = run.split(/[^A-Za-z0-9]+/)
    const pieces = words.filter((word) => word.length < MAX_FRAGMENT_CHARACTERS && FRAGMENT.test(word))
    const joined = pieces.join(' ')
    const before = text.slice(Math.max(0, index - INTRODUCTION_CHARACTERS), index)
    const isNamed = CURRENCY.test(before) || CURRENCY.test(run) || tickerIn(before) !== null
    return pieces.length > 1 && joined.length > SCATTERED_CHARACTERS && isNamed ? [joined] : []
  })
}

/** An address with other characters in it, which leave pieces that are too short to be read each on its own. */
const GARBLED = /[A-Za-z0-9]{4,}[^A-Za-z0-9\s]+[A-Za-z0-9]{4,}/
const WORD = /\S{25,}/g
const LINK = /:\/\/|^www\.|@/i

/** Such words after an announcement, unless a piece of them is told already. */
function garbledIn(text: string, told: readonly string[]): readonly string[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    if (!GARBLED.test(word) || LINK.test(word) || !looksLikeAddress(word)) return []
    const pieces = word.match(/[A-Za-z0-9]{12,}/g) ?? []
    if (pieces.some((piece) => told.some((one) => one.includes(piece)))) return []
    const before = text.slice(Math.max(0, index - INTRODUCTION_CHARACTERS), index)
    return announcesAddress(`${before} ${word}`) ? [word] : []
  })
}

/**
 * The last ticker before a token. Tickers are capitals, unlike a word of a sentence with a capital first letter. The name of Solana decides
 * as its ticker does, because nothing in an address of Solana does.
 */
function tickerIn(before: string): string | null {
  const words = before.match(/\b[A-Z]{3,6}\b/gi) ?? []
  const isTicker = (word: string): boolean => assetTickers.has(word) || findChain(word)?.code === word
  return words.findLast((word) => isTicker(word) || /^solana$/i.test(word)) ?? null
}
