/** Reads a transfer as a caller states it: its addresses, asset, amount and transaction hash, each checked at its own field. */
import { parseAddress, type AddressRefusal, type ParsedAddress } from '../address/parse-address.js'
import { baseUnits, chainFactsOf, findAsset, listAssets, type Asset } from '../scorer/index.js'

export interface StatedTransfer {
  readonly chain: string
  readonly direction: 'incoming' | 'outgoing'
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** A symbol of the asset table, or the contract of a token. */
  readonly asset?: string | undefined
  /** The contract of the token, where `asset` is its symbol. */
  readonly contract?: string | undefined
  readonly amount?: string | undefined
  readonly transaction_hash?: string | undefined
}

export interface ReadTransfer {
  readonly direction: 'incoming' | 'outgoing'
  readonly own: ParsedAddress
  /** Absent where the ledger is to tell it, as asset and amount. */
  readonly counterparty?: ParsedAddress
  readonly asset?: ReadAsset
  /** A plain decimal number of whole ones. */
  readonly amount?: string
  /** As the ledger writes it; null for a planned transfer. */
  readonly txHash: string | null
}

export interface ReadAsset {
  /** Canonical; empty for the native asset. */
  readonly contract: string
  readonly symbolLies: boolean
}

export interface TransferRefusal {
  readonly code: AddressRefusal['code'] | 'invalid_request'
  /** The field, as a JSON pointer. */
  readonly pointer: string
  readonly detail: string
}

/** Digits before and after the point of an amount. */
const AMOUNT = /^(?:0|[1-9]\d{0,59})(?:\.\d{1,36})?$/
const HEX_HASH = /^(?:0x)?[0-9a-f]{64}$/i
/** Signatures of Solana, and hashes of other chains without hexadecimal digits. */
const OTHER_HASH = /^[1-9A-HJ-NP-Za-km-z]{43,90}$/

export function readTransfer(stated: StatedTransfer): ReadTransfer | TransferRefusal {
  const { direction, chain, amount } = stated
  const [ownField, otherField] =
    direction === 'incoming' ? (['to', 'from'] as const) : (['from', 'to'] as const)
  const ownText = stated[ownField]
  if (ownText === undefined)
    return fault(`/${ownField}`, `An ${direction} transfer has your own address in "${ownField}".`)
  const own = addressAt(ownText, chain, ownField)
  if ('pointer' in own) return own
  const txHash = stated.transaction_hash === undefined ? null : readHash(own.chain, stated.transaction_hash)
  if (txHash === undefined)
    return fault('/transaction_hash', 'This is not the hash of a transaction of the chain.')
  const missing = ([otherField, 'asset', 'amount'] as const).find((name) => stated[name] === undefined)
  if (txHash === null && missing !== undefined)
    return fault(`/${missing}`, 'Without a transaction hash, the transfer must be stated whole.')
  const otherText = stated[otherField]
  const counterparty = otherText === undefined ? undefined : addressAt(otherText, chain, otherField)
  if (counterparty !== undefined && 'pointer' in counterparty) return counterparty
  const asset = readAsset(own.chain, stated)
  if (asset !== undefined && 'pointer' in asset) return asset
  if (amount !== undefined && !AMOUNT.test(amount))
    return fault('/amount', 'An amount is a plain decimal number in whole ones, such as "12.5".')
  const known = asset === undefined ? undefined : findAsset(own.chain, asset.contract)
  if (amount !== undefined && known !== undefined && !fits(amount, known))
    return fault('/amount', `${known.symbol} has ${known.decimals} decimals.`)
  return {
    ...{ direction, own, txHash },
    ...(counterparty === undefined ? {} : { counterparty }),
    ...(asset === undefined ? {} : { asset }),
    ...(amount === undefined ? {} : { amount }),
  }
}

const fault = (pointer: string, detail: string): TransferRefusal => ({
  code: 'invalid_request',
  pointer,
  detail,
})

function addressAt(text: string, chain: string, field: 'from' | 'to'): ParsedAddress | TransferRefusal {
  const parsed = parseAddress(text, chain)
  if (parsed.ok) return parsed
  return {
    code: parsed.code,
    pointer: parsed.code === 'unsupported_chain' ? '/chain' : `/${field}`,
    detail: parsed.detail,
  }
}

/** Undefined for what is no hash. Chains whose hashes are hexadecimal write them in one way. */
function readHash(chain: string, text: string): string | undefined {
  if (!HEX_HASH.test(text)) return OTHER_HASH.test(text) ? text : undefined
  const digits = text.toLowerCase().replace(/^0x/, '')
  const family = chainFactsOf(chain)?.family
  if (family === 'evm') return `0x${digits}`
  return family === 'bitcoin' || family === 'tron' ? digits : text
}

function readAsset(
  chain: string,
  { asset, contract }: StatedTransfer,
): ReadAsset | TransferRefusal | undefined {
  if (contract !== undefined) {
    const found = contractOf(chain, contract)
    if (found === undefined) return fault('/contract', 'This is not a contract of the chain.')
    return { contract: found, symbolLies: asset !== undefined && liesAbout(chain, found, asset) }
  }
  if (asset === undefined) return undefined
  const named = listAssets().filter((one) => one.chain === chain && isSymbol(one, asset))
  if (named.length === 1) return { contract: named[0]!.contract, symbolLies: false }
  if (named.length > 1)
    return fault('/asset', 'Several assets of the chain have this symbol: name the contract.')
  const found = contractOf(chain, asset)
  if (found === undefined)
    return fault('/asset', 'The chain has no known asset with this symbol: name the contract in "contract".')
  return { contract: found, symbolLies: false }
}

const isSymbol = (asset: Asset, text: string): boolean => asset.symbol.toLowerCase() === text.toLowerCase()

/** A symbol of the asset table that belongs to another contract, or another symbol than the table has for this one. */
function liesAbout(chain: string, contract: string, symbol: string): boolean {
  const known = findAsset(chain, contract)
  if (known !== undefined) return !isSymbol(known, symbol)
  return listAssets().some((one) => isSymbol(one, symbol))
}

/** Some chains name tokens otherwise than by an address: then only those of the table are known. */
function contractOf(chain: string, text: string): string | undefined {
  if (text !== '' && findAsset(chain, text) !== undefined) return text
  const parsed = parseAddress(text, chain)
  return parsed.ok ? parsed.canonical : undefined
}

function fits(amount: string, { decimals }: Asset): boolean {
  try {
    baseUnits(amount, decimals)
    return true
  } catch {
    return false
  }
}
