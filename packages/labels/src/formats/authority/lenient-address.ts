/**
 * Reads one address of an authority's row in any writing that its checksum can still prove. A designation must not be lost because of a
 * capital letter, an invisible character or a missing space.
 */
import { chainOf, parseAddress, parseListedAddress, upperAscii, type ParsedAddress } from '@cupel/domain'

/** A text without characters that nobody sees, and with one form for each letter and digit. */
export const visible = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Cc}/gu, ' ')

/** Hyphens and dashes of any length, and the minus sign. */
export const DASHES = /[\p{Pd}\u2212]/gu

/** The address that a text is, on every chain that it can be on unless the ticker decides; empty if the text is none. */
export function readAddress(text: string, ticker: string): readonly ParsedAddress[] {
  for (const written of writingsOf(text)) {
    const parsed = parseListedAddress(written, ticker)
    if (!parsed.ok || (written !== text && !isUnmistakable(parsed))) continue
    // Any 32 bytes are an address of Solana, even a word and an address that has a checksum.
    const inside = parsed.chain === 'SOL' ? addressesInside(written, ticker) : []
    if (inside.length > 0) return inside
    const others = parsed.candidateChains.map((chain) => parseAddress(written, chain))
    return distinct([parsed, ...others.filter((other) => other.ok)])
  }
  return []
}

/** The text itself, then with the prefix and the case that it may have lost. */
function writingsOf(text: string): readonly string[] {
  const lower = text.toLowerCase()
  if (/^0x[0-9a-f]{40}$/.test(lower)) return [text, lower]
  if (/^[0-9a-f]{40}$/.test(lower)) return [`0x${lower}`]
  return lower === text ? [text] : [text, lower]
}

/** One address for each key, since look-ups compare keys. */
function distinct(addresses: readonly ParsedAddress[]): readonly ParsedAddress[] {
  return [...new Map(addresses.toReversed().map((one) => [one.lookupKey, one])).values()].toReversed()
}

/**
 * Whether a text can only be an address: it has a checksum of four bytes, or the form 0x and 40 digits. Any 32 bytes are an address of
 * Solana, any 20 after 41 one of TRON, and a checksum of two bytes is right by chance too often.
 */
export function isUnmistakable({ chain, text }: ParsedAddress): boolean {
  return chain !== 'SOL' && chain !== 'DOT' && chain !== 'TON' && !/^41[0-9a-f]{40}$/i.test(text)
}

/**
 * Whether nothing but the length of a text makes it an address: any 32 bytes are one of Solana, so a misprint of another address with a
 * word after it may be one too. The ticker of the row must then name the chain; a token exists on several.
 */
export const isByChance = ({ chain, text }: ParsedAddress, ticker: string): boolean =>
  (chain === 'SOL' || /^41[0-9a-f]{40}$/i.test(text)) &&
  ![chain, upperAscii(chainOf(chain).name)].includes(upperAscii(ticker))

/** Whether a checksum proves every character of the text. An EVM address has one only in mixed case. */
export function isProven(parsed: ParsedAddress): boolean {
  const digits = /^0x(.{40})$/i.exec(parsed.text)?.[1]
  if (digits === undefined) return isUnmistakable(parsed)
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
}

/** A longer word is no address with something before or after it. */
const MAX_WORD_CHARACTERS = 160
const SHORTEST_ADDRESS = 25
const LONGEST_ADDRESS = 110

/** The addresses inside a longer word, each proven by its checksum or by its form 0x and 40 digits. */
export function addressesInside(word: string, ticker: string): readonly ParsedAddress[] {
  if (word.length > MAX_WORD_CHARACTERS) return []
  const found: ParsedAddress[] = []
  for (let start = 0; start <= word.length - SHORTEST_ADDRESS; start += 1) {
    const inside = longestAt(word, start, ticker)
    if (inside === undefined) continue
    found.push(...inside)
    start += inside[0]!.text.length - 1
  }
  return found
}

function longestAt(word: string, start: number, ticker: string): readonly ParsedAddress[] | undefined {
  const evm = /^0x[0-9a-f]{40}/i.exec(word.slice(start))?.[0]
  // More digits after an EVM address leave open where it ends, unless its checksum says so.
  if (evm !== undefined && !/[0-9a-f]/i.test(word[start + evm.length] ?? '')) return readAddress(evm, ticker)
  for (let end = Math.min(word.length, start + LONGEST_ADDRESS); end - start >= SHORTEST_ADDRESS; end -= 1) {
    const parsed = parseListedAddress(word.slice(start, end), ticker)
    if (parsed.ok && isProven(parsed)) return [parsed]
  }
  return undefined
}

/** A long word has no digits, and the hash of a transaction has 64 of them. */
export const looksLikeAddress = (token: string): boolean =>
  /\d/.test(token) && /[A-Za-z]/.test(token) && !/^(?:0x)?[0-9a-f]{64}$/i.test(token)

/** The most pieces into which a line break or a table splits an address. */
const MAX_PIECES = 12
const MAX_JOINED_CHARACTERS = 128

/** The address that consecutive pieces give together, proven by its checksum, and the number of pieces; undefined if there is none. */
export function joinedAddress(
  pieces: readonly string[],
  ticker: string,
): { readonly addresses: readonly ParsedAddress[]; readonly pieces: number } | undefined {
  for (let count = Math.min(MAX_PIECES, pieces.length); count > 1; count -= 1) {
    const joined = pieces.slice(0, count).join('').replace(DASHES, '')
    if (joined.length < SHORTEST_ADDRESS || joined.length > MAX_JOINED_CHARACTERS) continue
    const addresses = readAddress(joined, ticker)
    const [first] = addresses
    const isAll = first !== undefined && first.text.length >= joined.length
    if (isAll && isProven(first)) return { addresses, pieces: count }
  }
  return undefined
}
