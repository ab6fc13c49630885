/**
 * Asks providers whether a transaction has the transfer that a caller states, if the ledger did not read it. A word that cannot change any more
 * is kept; a question that is late goes on, and the next screen has its answer.
 */
import { ProviderError, type Histories, type StatedMovement } from '../index.js'
import { LATE, withinMs } from '@cupel/kit/concurrency'
import type { Logger, TransferTerms } from '@cupel/contracts'
import { baseUnits, findAsset } from '@cupel/domain'
import { HistoryError, type OwnedPlace } from './history-reading.js'

/** What is known of a transaction: the fields of the terms that a provider changes. */
export type Confirmation = Pick<TransferTerms, 'seen' | 'toldBy' | 'lookup'>

export interface AskedTransfer {
  /** The counterparty. */
  readonly place: OwnedPlace
  readonly terms: TransferTerms
}

export interface Confirmations {
  /** Whether a provider can be asked for what the ledger did not read. */
  mayAsk(asked: AskedTransfer): boolean
  /** Within the time; then `late`, and the question goes on. Never rejects. */
  ask(asked: AskedTransfer, withinMs: number): Promise<Confirmation>
  settled(place: OwnedPlace): Promise<unknown>
}

/** The ledger did not read the transaction. */
const UNREAD: ReadonlySet<string> = new Set(['not_seen', 'no_ledger', 'not_searched'])
/** A transaction in a block that is unlikely to be replaced stays as it is. */
const LASTS: ReadonlySet<string> = new Set(['seen', 'contradicted', 'failed', 'other_senders'])
/** Any other answer is that of the next screens for so long: whoever was too late for it has it. */
const ANSWERS_FOR_MS = 10_000
const MOST_KEPT = 10_000
const MOST_UNDER_WAY = 500

export interface ConfirmationsDeps {
  readonly histories: Pick<Histories, 'transactionsOf' | 'mustAgree'>
  /** Waits for the turn of a call; throws a HistoryError if there must be none. */
  readonly turnsOf: (place: OwnedPlace) => (provider: string) => Promise<void>
  readonly logger: Logger
  readonly now: () => Date
}

export function createConfirmations(deps: ConfirmationsDeps): Confirmations {
  const { histories } = deps
  const kept = new Map<string, { readonly confirmation: Confirmation; readonly untilMs: number }>()
  const underWay = new Map<string, { readonly place: string; readonly told: Promise<Confirmation> }>()

  function begin(name: string, asked: AskedTransfer, stated: StatedMovement): Promise<Confirmation> {
    const running = underWay.get(name)
    if (running !== undefined) return running.told
    if (underWay.size >= MOST_UNDER_WAY) return Promise.resolve(unread(asked.terms, 'busy'))
    const told = confirm(asked, stated, deps)
      .then((confirmation) => {
        keep(name, confirmation)
        return confirmation
      })
      .finally(() => underWay.delete(name))
    underWay.set(name, { place: nameOf(asked.place), told })
    return told
  }

  function keep(name: string, confirmation: Confirmation): void {
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest)
    const lasts = confirmation.toldBy !== '' && LASTS.has(confirmation.seen)
    kept.set(name, { confirmation, untilMs: lasts ? Infinity : deps.now().getTime() + ANSWERS_FOR_MS })
  }

  return {
    mayAsk: ({ place, terms }) =>
      UNREAD.has(terms.seen) &&
      terms.txHash !== null &&
      histories.transactionsOf(place.chain).length > 0 &&
      statedBy({ place, terms }) !== null,
    async ask(asked, leftMs) {
      const stated = statedBy(asked)
      if (stated === null) return unread(asked.terms, 'unknown_token')
      const name = JSON.stringify([nameOf(asked.place), { ...stated, amount: stated.amount.toString() }])
      const known = kept.get(name)
      if (known !== undefined && known.untilMs > deps.now().getTime()) return known.confirmation
      const told = await withinMs(leftMs, begin(name, asked, stated))
      return told === LATE ? unread(asked.terms, 'late') : told
    },
    settled: (place) =>
      Promise.all([...underWay.values()].flatMap((one) => (one.place === nameOf(place) ? [one.told] : []))),
  }
}

/** The transfer in the words of the chain; null for a token whose decimals are not known. */
function statedBy({ place, terms }: AskedTransfer): StatedMovement | null {
  const { contract, amount, direction, ownCanonicalAddress: own, txHash } = terms
  const asset = contract === null ? undefined : findAsset(place.chain, contract)
  if (asset === undefined || txHash === null) return null
  const [from, to] = direction === 'incoming' ? [place.address, own] : [own, place.address]
  return { txHash, from, to, contract: asset.contract, amount: baseUnits(amount, asset.decimals) }
}

/** The first provider that tells anything decides; if two must agree, the words of two must be the same. */
async function confirm(
  { place, terms }: AskedTransfer,
  stated: StatedMovement,
  { histories, turnsOf, logger }: ConfirmationsDeps,
): Promise<Confirmation> {
  const takeTurn = turnsOf(place)
  const needed = histories.mustAgree(place.chain) ? 2 : 1
  const told: { readonly provider: string; readonly word: string }[] = []
  let reason = ''
  for (const { source, http } of histories.transactionsOf(place.chain)) {
    const { provider } = source
    try {
      const word = await source.confirm(
        stated,
        http(() => takeTurn(provider)),
      )
      if (word === 'not_found') reason = word
      else told.push({ provider, word })
    } catch (error) {
      if (!(error instanceof ProviderError) && !(error instanceof HistoryError)) throw error
      reason = error instanceof ProviderError ? error.code : error.reason
      logger.warn({ err: error, provider }, 'A transaction could not be read')
    }
    if (told.length === needed) break
  }
  const [first] = told
  if (first === undefined) return unread(terms, reason)
  const toldBy = told.map(({ provider }) => provider).join('+')
  const isSame = told.every(({ word }) => word === first.word)
  if (!isSame) return { seen: 'disagreement', toldBy, lookup: '' }
  return told.length < needed ? unread(terms, 'unconfirmed') : { seen: first.word, toldBy, lookup: '' }
}

const unread = ({ seen }: TransferTerms, lookup: string): Confirmation => ({ seen, toldBy: '', lookup })

const nameOf = ({ accountId, chain, address }: OwnedPlace): string => `${accountId} ${chain} ${address}`
