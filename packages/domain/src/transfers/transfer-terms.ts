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

type UnpricedTerms = Omit<TransferTerms, 'microUsd' | 'pricedOn'>

export type TermsOutcome =
  | { readonly kind: 'terms'; readonly counterparty: ParsedAddress; readonly terms: UnpricedTerms }
  /** The transaction has no such movement, and the caller did not state the transfer whole. */
  | { readonly kind: 'not-found' }
  /**
   * The ledger did not read the transaction, and the caller did not state the transfer whole: a provider is to tell the rest. `screened` is the
   * counterparty, or the own address if it is not stated either.
   */
  | { readonly kind: 'unread'; readonly screened: ParsedAddress; readonly terms: UnpricedTerms }
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
    ...{ toldBy: '', lookup: '', unstated: [] },
  }
  const groups = groupsOf(movements === null || movements === 'not-searched' ? [] : movements, own.chain)
  const fitting = groups.filter((group) => isStated(stated, group))
  if (counterparty !== undefined && asset !== undefined && amount !== undefined) {
    const seen = seenOf(txHash, movements, fitting.filter(({ isKnown }) => isKnown).length)
    return { kind: 'terms', counterparty, terms: { ...shared, contract: asset.contract, amount, seen } }
  }
  const [found] = fitting
  if (movements === null || movements === 'not-searched' || movements.length === 0)
    return {
      kind: 'unread',
      screened: counterparty ?? own,
      terms: {
        ...shared,
        ...{ contract: asset?.contract ?? null, amount: amount ?? '' },
        ...{ seen: seenOf(txHash, movements, 0), unstated: unstatedOf(stated) },
      },
    }
  if (fitting.length > 1)
    return {
      kind: 'ambiguous',
      found: fitting.map((one) => `${one.amount} ${one.symbol} ${one.counterparty}`),
    }
  if (found === undefined || !found.isKnown) return { kind: 'not-found' }
  // What the ledger has without an owner, such as a reward, has no counterparty to screen.
  const parsed = counterparty ?? parsedOn(own.chain, found.counterparty)
  if (parsed === null) return { kind: 'not-found' }
  const terms = { ...shared, contract: found.contract, amount: found.amount, seen: 'seen' }
  return { kind: 'terms', counterparty: parsed, terms }
}

const unstatedOf = (stated: ReadTransfer): string[] =>
  LEFT_TO_TRANSACTION.filter((name) => stated[name] === undefined)

/**
 * What a caller stated, completed with the movements that a provider told.
 * @param terms those of an outcome `unread`
 */
export function completeTerms(
  {
    chain,
    address,
    terms,
  }: { readonly chain: string; readonly address: string; readonly terms: TransferTerms },
  movements: readonly Movement[],
): TermsOutcome {
  const { direction, ownAddress, unstated, contract, symbolLies, amount, txHash, ledgerSeq } = terms
  const own = parsedOn(chain, ownAddress)
  const counterparty = unstated.includes('counterparty') ? undefined : parsedOn(chain, address)
  if (own === null || counterparty === null) return { kind: 'not-found' }
  const stated: ReadTransfer = {
    ...{ direction: direction === 'incoming' ? 'incoming' : 'outgoing', own, txHash },
    ...(counterparty === undefined ? {} : { counterparty }),
    ...(unstated.includes('asset') || contract === null ? {} : { asset: { contract, symbolLies } }),
    ...(unstated.includes('amount') ? {} : { amount }),
  }
  const outcome = termsOf(stated, { movements, ledgerSeq })
  return outcome.kind === 'unread' ? { kind: 'not-found' } : outcome
}

/** What a caller may leave to the transaction. */
const LEFT_TO_TRANSACTION = ['counterparty', 'asset', 'amount'] as const

function parsedOn(chain: string, address: string): ParsedAddress | null {
  const parsed = parseAddress(address, chain)
  return parsed.ok ? parsed : null
}

interface Group {
  readonly counterparty: string
  readonly contract: string
  readonly symbol: string
  readonly amount: string
  /** Whether the asset table has it. An unknown token can be meant as well as any other, in any amount. */
  readonly isKnown: boolean
}

/** Movements between the same addresses in one asset are one transfer of their sum. */
function groupsOf(movements: readonly Movement[], chain: string): readonly Group[] {
  const sums = new Map<string, Movement>()
  for (const one of movements) {
    const key = JSON.stringify([one.counterparty, one.contract])
    sums.set(key, { ...one, amount: one.amount + (sums.get(key)?.amount ?? 0n) })
  }
  return [...sums.values()].map(({ counterparty, contract, amount }) => {
    const asset = findAsset(chain, contract)
    if (asset === undefined) {
      const symbol = `smallest units of the token ${contract}`
      return { counterparty, contract, symbol, amount: String(amount), isKnown: false }
    }
    const { symbol, decimals } = asset
    return { counterparty, contract, symbol, amount: decimalAmount(amount, decimals), isKnown: true }
  })
}

const isStated = ({ counterparty, asset, amount }: ReadTransfer, group: Group): boolean =>
  (counterparty === undefined || counterparty.canonical === group.counterparty) &&
  (asset === undefined || asset.contract === group.contract) &&
  (amount === undefined || !group.isKnown || withoutZeros(amount) === group.amount)

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

/** Transfers that a sentence names. */
const MAX_NAMED = 5

/** The sentence about several transfers that a caller can mean. */
export function severalTransfers(found: readonly string[]): string {
  const named = found.slice(0, MAX_NAMED).join('; ')
  const more = found.length > MAX_NAMED ? '; …' : ''
  return `The transaction has ${found.length} such transfers of your address: state the other side or the asset of one. ${named}${more}`
}
