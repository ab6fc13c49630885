/** A movement of value between two addresses, and what of it counts. `timeline.ts` has the order of movements. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { findAsset, isBurnAddress, isWrappedCoin } from '../tables/asset-table.js'
import { STEP_ITEMS, type Steps } from './steps.js'

export interface Transfer {
  /** Names the transfer in its ledger: two copies of one transfer have one id. Lowercase hex. */
  readonly id: string
  /** Empty where the source does not say. */
  readonly txHash: string
  /** `native`, `internal`, `token` or `utxo`. Open: a source may know more. */
  readonly kind: string
  /** Contract of the token; empty for the native asset. */
  readonly contract: string
  /** Canonical addresses. */
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly amount: bigint
  readonly blockNumber: number | null
  /** Seconds since 1970. */
  readonly occurredAtS: number | null
  /** Place of its transaction in the block; null where unknown. */
  readonly index: number | null
  /** Place of its log in the block; null where there is none or where it is unknown. */
  readonly position: number | null
  /** Whether its execution is proven. An unproven one may have failed. */
  readonly proven: boolean
  /** Its transaction is a CoinJoin, and `from` or `to` is the node `coinjoin:<transaction hash>`. */
  readonly coinJoin: boolean
  /** Only of transfers of one day that are added up: of what they have in common one `Transfer` tells, and of the times the last. */
  readonly bundle?: { readonly transfers: number; readonly firstAtS: number | null }
}

/** How many transfers it stands for. */
export const transfersOf = ({ bundle }: Transfer): number => bundle?.transfers ?? 1

/**
 * The counterparty of value that the chain itself gives: rewards of blocks, and what their coinbase pays. It is no address, and nobody's
 * origin can be better known.
 */
export const ISSUANCE = 'issuance'

export type UncountedReason =
  'zero_value' | 'no_counterparty' | 'burn_address' | 'to_itself' | 'unknown_asset'

/** Why a transfer of a chain is no edge between two counterparties, or null for one that counts. */
export function uncountedReason(
  chain: string,
  { contract, from, to, amount }: Pick<Transfer, 'contract' | 'from' | 'to' | 'amount'>,
): UncountedReason | null {
  if (amount <= 0n) return 'zero_value'
  if (from === '' || to === '') return 'no_counterparty'
  if (isBurnAddress(from) || isBurnAddress(to)) return 'burn_address'
  if (from === to || isWrap(chain, { contract, from, to })) return 'to_itself'
  return findAsset(chain, contract) === undefined ? 'unknown_asset' : null
}

/** A native transfer to or from the contract of the wrapped coin: the sender gets as many wrapped coins, or gave them. */
export const isWrap = (
  chain: string,
  { contract, from, to }: Pick<Transfer, 'contract' | 'from' | 'to'>,
): boolean => contract === '' && (isWrappedCoin(chain, from) || isWrappedCoin(chain, to))

/** Wrapped coins are followed and counted as the native ones that they stand for. */
export const unwrapped = (chain: string, transfer: Transfer): Transfer =>
  isWrappedCoin(chain, transfer.contract) ? { ...transfer, contract: '' } : transfer

/** The wrapped coins that a wrap or unwrap moves the other way. Their contract states no transfer of them. */
export const otherSideOfWrap = (chain: string, wrap: Transfer): Transfer => ({
  ...wrap,
  contract: isWrappedCoin(chain, wrap.to) ? wrap.to : wrap.from,
  from: wrap.to,
  to: wrap.from,
})

/**
 * A call that moves what its transaction itself moves is that movement, told by a source that calls it otherwise: it counts once. The
 * movement is proven if either is.
 */
export function* withoutRetoldCalls(transfers: readonly Transfer[]): Steps<readonly Transfer[]> {
  const calls = new Map<string, Transfer>()
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const one = transfers[index]!
    if (one.kind === 'internal' && one.txHash !== '') calls.set(movementOf(one), one)
  }
  if (calls.size === 0) return transfers
  const retold = new Set<Transfer>()
  const merged: Transfer[] = []
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const one = transfers[index]!
    const equal = one.kind === 'native' ? calls.get(movementOf(one)) : undefined
    const call = equal !== undefined && mayBeAtOnePlace(equal, one) ? equal : undefined
    if (call !== undefined) retold.add(call)
    merged.push(call?.proven === true && !one.proven ? { ...one, proven: true } : one)
  }
  return retold.size === 0 ? transfers : merged.filter((one) => !retold.has(one))
}

/** A transaction is at one place: a hash that lies at two is not that of one. */
const mayBeAtOnePlace = (a: Transfer, b: Transfer): boolean =>
  (a.blockNumber === null || b.blockNumber === null || a.blockNumber === b.blockNumber) &&
  (a.index === null || b.index === null || a.index === b.index)

const movementOf = ({ txHash, contract, from, to, amount }: Transfer): string =>
  `${txHash} ${contract} ${from} ${to} ${amount}`

export const compareIds = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0

/** SHA-256 of a text in pieces. */
export interface TextHash {
  /** Adds the UTF-8 bytes of the text. */
  update(text: string): void
  /** Lowercase hex of everything added. */
  hex(): string
}

export function createTextHash(): TextHash {
  const hash = sha256.create()
  return {
    update: (text) => hash.update(utf8ToBytes(text)),
    hex: () => bytesToHex(hash.digest()),
  }
}

/** Ids are hashes: their first digits divide them evenly, so that every sort is short. */
const BUCKET_DIGITS = 2

/**
 * SHA-256, lowercase hex, of a whole set of transfers: one line each, in the order of their ids. The id names transaction,
 * kind and index; the rest is what measuring reads.
 */
export function* edgesSha256(transfers: readonly Transfer[], hash: TextHash): Steps<string> {
  const buckets = new Map<string, Transfer[]>()
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const transfer = transfers[index]!
    const digits = transfer.id.slice(0, BUCKET_DIGITS)
    const bucket = buckets.get(digits)
    if (bucket === undefined) buckets.set(digits, [transfer])
    else bucket.push(transfer)
  }
  let separator = ''
  let lines = ''
  let count = 0
  for (const digits of [...buckets.keys()].sort()) {
    for (const transfer of buckets.get(digits)!.sort(compareIds)) {
      lines += separator + lineOf(transfer)
      separator = '\n'
      count += 1
      if (count % STEP_ITEMS !== 0) continue
      hash.update(lines)
      lines = ''
      yield
    }
  }
  hash.update(lines)
  return hash.hex()
}

const lineOf = (one: Transfer): string =>
  `${one.id} ${one.contract} ${one.from} ${one.to} ${one.amount} ${one.blockNumber ?? ''} ${one.occurredAtS ?? ''} ${one.index ?? ''} ${one.position ?? ''} ${one.proven}${one.bundle === undefined ? '' : ` ${one.bundle.transfers} ${one.bundle.firstAtS ?? ''}`}`
