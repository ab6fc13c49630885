/**
 * Parses a caller's text into its address: the chain, the canonical form, and the key for look-ups. The API parses an address once, at the
 * edge; later stages trust the result.
 */
import type { AddressForm, FormFailure } from './address-form.js'
import { readAddressForms } from './address-forms.js'
import { encodeBase58Check } from './base58-addresses.js'
import { encodeCashAddress } from './cash-address.js'
import { keyParts } from './look-up-keys.js'
import type { ChainCode } from '../scorer/index.js'
import { chains, findChain, upperAscii, type ChainDefinition } from './chain-formats.js'

/** Longer than any address; longer text is rejected before anything reads it. */
export const MAX_ADDRESS_LENGTH = 256

export interface ParsedAddress {
  readonly ok: true
  /** Exactly as sent. */
  readonly text: string
  readonly chain: ChainCode
  /** The canonical form of this address on this chain. */
  readonly canonical: string
  /** Every chain the text fits, in order of detection, if the caller named none and there are several; else empty. */
  readonly candidateChains: readonly ChainCode[]
  /** Equal for all addresses that one key controls: what label look-ups compare, part by part if it has several. */
  readonly lookupKey: string
}

export type AddressRefusalReason =
  | FormFailure
  | 'empty_address'
  | 'white_space'
  | 'too_long'
  | 'domain_name'
  | 'wrong_chain'
  | 'unknown_chain'

export interface AddressRefusal {
  readonly ok: false
  readonly code: 'invalid_address' | 'unsupported_chain' | 'chain_mismatch'
  readonly reason: AddressRefusalReason
  /** One sentence for the caller. It never repeats the text sent. */
  readonly detail: string
  /** Set if the text is an address of other chains than the named one. */
  readonly fits: readonly ChainCode[]
}

/**
 * Parses a text as an address of the named chain (code in any case), or of the first chain it fits.
 * Refusals in this order: unknown chain, no address at all, an address of other chains only.
 */
export function parseAddress(text: string, chainCode?: string | null): ParsedAddress | AddressRefusal {
  let named: ChainDefinition | undefined
  if (chainCode !== undefined && chainCode !== null) {
    named = findChain(chainCode)
    if (named === undefined) return refuse('unsupported_chain', 'unknown_chain')
  }
  const malformed = malformation(text)
  if (malformed !== undefined) return refuse('invalid_address', malformed)
  const { forms, failure } = readAddressForms(text)
  const fits = chainsOfForms(forms)
  if (fits.length === 0) return refuse('invalid_address', DOMAIN_NAME.test(text) ? 'domain_name' : failure)
  const chain = named ?? fits[0]!
  const form = forms.find(({ format }) => chain.formats.includes(format))
  if (form === undefined) {
    return refuse(
      'chain_mismatch',
      'wrong_chain',
      chain.code,
      fits.map(({ code }) => code),
    )
  }
  return {
    ok: true,
    text,
    chain: chain.code,
    canonical: canonicalOn(chain.code, form),
    candidateChains: named === undefined && fits.length > 1 ? fits.map(({ code }) => code) : [],
    lookupKey: form.lookupKey,
  }
}

/** One address as a chain writes it. */
export interface AddressOnChain {
  readonly canonical: string
  readonly lookupKey: string
}

/** The address of a text on each of these chains that it fits. The text is read once, which costs as much as parsing it for one chain. */
export function addressOnChains(text: string, codes: readonly string[]): ReadonlyMap<string, AddressOnChain> {
  const forms = malformation(text) === undefined ? readAddressForms(text).forms : []
  const found = new Map<string, AddressOnChain>()
  for (const code of codes) {
    const chain = findChain(code)
    const form = chain && forms.find(({ format }) => chain.formats.includes(format))
    if (form !== undefined)
      found.set(code, { canonical: canonicalOn(chain!.code, form), lookupKey: form.lookupKey })
  }
  return found
}

/** A name of ENS, Unstoppable Domains or DNS: labels and dots, the last one of letters. */
const DOMAIN_NAME = /^(?:[a-z0-9_-]+\.)+[a-z]{2,}$/i

/** Whether one key has several addresses on the chain. */
export const hasSharedKeys = (chain: string): boolean => {
  const family = findChain(chain)?.family
  return family === 'bitcoin' || family === 'cardano'
}

/**
 * The key that spends from an address, which other addresses of its chain may have too; null on a chain where a key has one address, and for
 * other texts.
 */
export function sharedKey(address: string, chain: string): string | null {
  const parsed = hasSharedKeys(chain) ? parseAddress(address, chain) : null
  return parsed?.ok === true ? keyParts(parsed.lookupKey)[0]! : null
}

/** Addresses consist only of printable ASCII without white space. */
function malformation(text: string): AddressRefusalReason | undefined {
  if (text.length === 0) return 'empty_address'
  if (text.length > MAX_ADDRESS_LENGTH) return 'too_long'
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code <= 32 || (code > 126 && /\s/.test(text[index]!))) return 'white_space'
    if (code > 126) return 'bad_format'
  }
  return undefined
}

const chainsByFormat: ReadonlyMap<string, readonly ChainDefinition[]> = new Map(
  [...new Set(chains.flatMap(({ formats }) => formats))].map((format) => [
    format,
    chains.filter(({ formats }) => formats.includes(format)),
  ]),
)

function chainsOfForms(forms: readonly AddressForm[]): readonly ChainDefinition[] {
  const [first] = forms
  if (first === undefined) return []
  if (forms.length === 1) return chainsByFormat.get(first.format) ?? []
  return chains.filter((chain) => forms.some(({ format }) => chain.formats.includes(format)))
}

/** LTC writes script hashes as M…, BCH everything as CashAddr, ZEC its TEX form as t1…: one written form per address. */
function canonicalOn(chain: ChainCode, { format, owner, canonical }: AddressForm): string {
  if (owner === undefined) return canonical
  if (chain === 'BCH') return encodeCashAddress(owner)
  if (chain === 'LTC' && format === 'base58check:05')
    return encodeBase58Check(Uint8Array.from([0x32, ...owner.hash]))
  if (chain === 'ZEC' && format === 'zcash-tex')
    return encodeBase58Check(Uint8Array.from([0x1c, 0xb8, ...owner.hash]))
  return canonical
}

const details: Readonly<Record<AddressRefusalReason, string>> = {
  empty_address: 'The address is empty.',
  white_space: 'The address contains white space.',
  too_long: `The address is longer than ${MAX_ADDRESS_LENGTH} characters.`,
  bad_format: 'The text has the form of no supported address.',
  bad_checksum:
    'The checksum of the address does not match: a character is wrong, or its upper and lower case was lost.',
  eip55_mismatch: 'The mixed case of the address does not match its EIP-55 checksum.',
  domain_name:
    'The text is a name, not an address. A name can lead to another address tomorrow: look up its address, and screen that.',
  unknown_chain: 'The chain is not one of the supported chains; GET /v1/chains lists them.',
  wrong_chain: 'The address is not of this chain.',
}

function refuse(
  code: AddressRefusal['code'],
  reason: AddressRefusalReason,
  named?: ChainCode,
  fits: readonly ChainCode[] = [],
): AddressRefusal {
  const detail =
    named === undefined ? details[reason] : `The address is not of ${named}; it fits ${fits.join(', ')}.`
  return { ok: false, code, reason, detail, fits }
}

/** Tickers of a chain's native asset that differ from its code. A token's ticker names no chain. */
const chainsByTicker: Readonly<Record<string, ChainCode>> = {
  XBT: 'BTC',
  POL: 'MATIC',
  BCC: 'BCH',
  BCHABC: 'BCH',
  ZCASH: 'ZEC',
}

/**
 * Parses an address that a list gives with a ticker. A ticker is not a chain: it only selects among the chains that the address fits. A TRON
 * address listed under XBT is a TRON address.
 */
export function parseListedAddress(text: string, ticker: string): ParsedAddress | AddressRefusal {
  const upper = upperAscii(ticker)
  const hinted = chainsByTicker[upper] ?? findChain(upper)?.code
  if (hinted !== undefined) {
    const parsed = parseAddress(text, hinted)
    if (parsed.ok) return parsed
  }
  return parseAddress(text)
}
