/** Completes what a caller states of a transfer with the movements of its transaction that the ledger has. */
import type { TransferTerms } from '@cupel/contracts'
import { decimalAmount, findAsset } from '../scorer/index.js'
import { parseAddress, type ParsedAddress } from '../address/parse-address.js'
import type { ReadTransfer } from './read-transfer.js'

/** A movement of the caller's own address in the direction of the transfer. */
export interface Movement {
  /** Canonical; empty for value that was made or destroyed. */
  readonly counterparty: string
  readonly contract: string
  /** Base units. */
  readonly amount: bigint
}

export type TermsOutcome =
  | {
      readonly kind: 'terms'
      readonly counterparty: ParsedAddress
      readonly terms: Omit<TransferTerms, 'microUsd' | 'pricedOn'>
    }
  /** The ledger has no such movement, and the caller did not state the transfer whole. */
  | { readonly kind: 'not-found' }
  /** The own address has too many transfers to look for one by its hash, and the caller did not state the transfer whole. */
  | { readonly kind: 'not-searched' }
  /** Several counterparties or assets, by name. */
  | { readonly kind: 'ambiguous'; readonly found: readonly string[] }

/**
 * @param movements those of the transaction; null for a planned transfer, and where there is no ledger of the chain; `not-searched` if the own
 *   address has too many transfers
 * @param ledgerSeq the state that was read; 0 where there is no ledger of the chain
 */
export function termsOf(
  stated: ReadTransfer,
  {
    movements,
    ledgerSeq,
  }: { readonly movements: readonly Movement[] | 'not-searched' | null; readonly ledgerSeq: number },
): TermsOutcome {
  const { own, direction, txHash, counterparty, asset, amount } = stated
  const shared = {
    direction,
    ownAddress: own.text,
    ownCanonicalAddress: own.canonical,
    symbolLies: asset?.symbolLies ?? false,
    txHash,
    ledgerSeq,
    ...{ toldBy: '', lookup: '' },
  }
  const groups = groupsOf(movements === null || movements === 'not-searched' ? [] : movements, own.chain)
  const fitting = groups.filter((group) => isStated(stated, group))
  if (counterparty !== undefined && asset !== undefined && amount !== undefined) {
    const seen = seenOf(txHash, movements, fitting.length)
    return { kind: 'terms', counterparty, terms: { ...shared, contract: asset.contract, amount, seen } }
  }
  const [found] = fitting
  if (movements === 'not-searched') return { kind: 'not-searched' }
  if (found === undefined) return { kind: 'not-found' }
  if (fitting.length > 1)
    return {
      kind: 'ambiguous',
      found: fitting.map((one) => `${one.amount} ${one.symbol} ${one.counterparty}`),
    }
  // What the ledger has without an owner, such as a reward, has no counterparty to screen.
  const parsed = counterparty ?? parsedOn(own.chain, found.counterparty)
  if (parsed === null) return { kind: 'not-found' }
  const terms = { ...shared, contract: found.contract, amount: found.amount, seen: 'seen' }
  return { kind: 'terms', counterparty: parsed, terms }
}

function parsedOn(chain: string, address: string): ParsedAddress | null {
  const parsed = parseAddress(address, chain)
  return parsed.ok ? parsed : null
}

interface Group {
  readonly counterparty: string
  readonly contract: string
  readonly symbol: string
  readonly amount: string
}

/** Movements between the same addresses in one asset are one transfer of their sum. */
function groupsOf(movements: readonly Movement[], chain: string): readonly Group[] {
  const sums = new Map<string, Movement>()
  for (const one of movements) {
    const key = JSON.stringify([one.counterparty, one.contract])
    sums.set(key, { ...one, amount: one.amount + (sums.get(key)?.amount ?? 0n) })
  }
  return [...sums.values()].flatMap(({ counterparty, contract, amount }) => {
    const asset = findAsset(chain, contract)
    if (asset === undefined) return []
    const { symbol, decimals } = asset
    return [{ counterparty, contract, symbol, amount: decimalAmount(amount, decimals) }]
  })
}

const isStated = ({ counterparty, asset, amount }: ReadTransfer, group: Group): boolean =>
  (counterparty === undefined || counterparty.canonical === group.counterparty) &&
  (asset === undefined || asset.contract === group.contract) &&
  (amount === undefined || withoutZeros(amount) === group.amount)

const withoutZeros = (amount: string): string =>
  amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount

function seenOf(
  txHash: string | null,
  movements: readonly Movement[] | 'not-searched' | null,
  fitting: number,
): string {
  if (txHash === null) return 'planned'
  if (movements === 'not-searched') return 'not_searched'
  if (movements === null) return 'no_ledger'
  if (fitting > 0) return 'seen'
  return movements.length > 0 ? 'contradicted' : 'not_seen'
}
