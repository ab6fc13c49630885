/**
 * Finds addresses in the remarks of a list. A remark is prose that contains numbers of passports and companies, so only unmistakable
 * addresses are accepted. A text that looks like an address but is none is reported, because it may be a misprinted one.
 */
import { findChain, parseListedAddress, type ParsedAddress } from '@cupel/domain'
import { shown } from '../message.js'

export interface AddressesInText {
  readonly found: readonly { readonly address: string; readonly ticker: string | null }[]
  /** Why a text that looked like an address is none, or not certainly one. */
  readonly refused: readonly string[]
}

/** An address of TON contains `-` and `_`; every other one has letters and digits, after an optional prefix. */
const TOKEN =
  /(?<![A-Za-z0-9_])(?:[EUk0][Qf][A-Za-z0-9_-]{46}|(?:bitcoincash:)?[A-Za-z0-9]{25,250})(?![A-Za-z0-9])/gi
/** Words that announce an address; they appear this close before it. */
const INTRODUCTION =
  /\b(?:address(?:es)?|wallets?|crypto\w*|(?:digital|virtual) (?:currenc\w*|assets?)|bitcoin|ethereum|ether|tron|litecoin|monero|zcash|dash|dogecoin|solana|ripple|tether|stablecoins?)\b/i
const INTRODUCTION_CHARACTERS = 80
/** Between two addresses of one enumeration there are a separator and perhaps another ticker. */
const ENUMERATION_CHARACTERS = 16
/** Tickers of assets that are not a chain's own; like a chain's code, they announce an address. */
const assetTickers: ReadonlySet<string> = new Set(['XBT', 'USDT', 'USDC', 'DAI', 'BUSD', 'TUSD'])

export function addressesIn(text: string): AddressesInText {
  const found: { address: string; ticker: string | null }[] = []
  const refused: string[] = []
  let previousEnd = -Infinity
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match
    const before = text.slice(Math.max(0, match.index - INTRODUCTION_CHARACTERS), match.index)
    const ticker = tickerIn(before)
    const isIntroduced =
      ticker !== null || INTRODUCTION.test(before) || match.index - previousEnd <= ENUMERATION_CHARACTERS
    const parsed = parseListedAddress(token, ticker ?? '')
    const isCertain = parsed.ok && (isIntroduced || isUnmistakable(token, parsed))
    if (isCertain) found.push({ address: token, ticker })
    else if (parsed.ok)
      refused.push(`nothing says that this is an address of ${parsed.chain}: ${shown(token)}`)
    else if (parsed.reason !== 'bad_format' || (isIntroduced && looksLikeAddress(token))) {
      refused.push(`${parsed.reason.replaceAll('_', ' ')}: ${shown(token)}`)
    } else continue
    previousEnd = match.index + token.length
  }
  return { found, refused }
}

/** The last ticker before a token. Tickers are capitals; a word of a sentence with a capital first letter is none. */
function tickerIn(before: string): string | null {
  const words = before.match(/\b[A-Z]{3,6}\b/g) ?? []
  return words.findLast((word) => assetTickers.has(word) || findChain(word)?.code === word) ?? null
}

/**
 * Whether a text can only be an address: it has a checksum of four bytes, or the form 0x and 40 digits. Any 32 bytes are an address of
 * Solana, any 20 after 41 one of TRON, and a checksum of two bytes is right by chance too often.
 */
function isUnmistakable(token: string, { chain }: ParsedAddress): boolean {
  return chain !== 'SOL' && chain !== 'DOT' && chain !== 'TON' && !/^41[0-9a-f]{40}$/i.test(token)
}

/** A long word has no digits, and the hash of a transaction has 64 of them. */
const looksLikeAddress = (token: string): boolean =>
  /\d/.test(token) && /[A-Za-z]/.test(token) && !/^(?:0x)?[0-9a-f]{64}$/i.test(token)
