/**
 * Asks providers of a transaction that the ledger did not read: whether it has the transfer that a caller states, or which transfers of an address
 * it has. An answer that cannot change any more is kept; a question that is late goes on, and the next screen has its answer.
 */
import {
  ProviderError,
  type AskedMovements,
  type Histories,
  type StatedMovement,
  type ToldMovements,
  type TransactionProvider,
} from '../index.js'
import { LATE, withinMs } from '@cupel/kit/concurrency'
import type { Logger, TransferTerms } from '@cupel/contracts'
import { baseUnits, findAsset, type Movement } from '@cupel/domain'
import { HistoryError, type OwnedPlace } from './history-reading.js'

/** What is known of a transaction: the fields of the terms that a provider changes. */
export type Confirmation = Pick<TransferTerms, 'seen' | 'toldBy' | 'lookup'>

export interface AskedTransfer {
  /** The counterparty. */
  readonly place: OwnedPlace
  readonly terms: TransferTerms
}

/** What a provider told of the transfers of an address in a transaction. */
export type Told =
  | {
      readonly kind: 'told'
      readonly word: 'seen' | 'other_senders'
      /** As many as must agree. */
      readonly by: readonly { readonly provider: string; readonly movements: readonly Movement[] }[]
      readonly isAgreed: boolean
    }
  | { readonly kind: 'unread'; readonly reason: string }

export interface Confirmations {
  /** Whether a provider can be asked for what the ledger did not read. */
  mayAsk(asked: AskedTransfer): boolean
  /** Within the time; then `late`, and the question goes on. Never rejects. */
  ask(asked: AskedTransfer, withinMs: number): Promise<Confirmation>
  /** The same for a transfer of which the caller left a part to the transaction. */
  tell(asked: AskedTransfer, withinMs: number): Promise<Told>
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
  const confirmed = createQuestions<Confirmation>(
    deps,
    ({ toldBy, seen }) => toldBy !== '' && LASTS.has(seen),
  )
  const told = createQuestions<Told>(deps, (one) => one.kind === 'told' && one.isAgreed)
  return {
    mayAsk: ({ place, terms }) =>
      UNREAD.has(terms.seen) &&
      terms.txHash !== null &&
      histories.transactionsOf(place.chain).length > 0 &&
      statedBy({ place, terms }) !== null,
    async ask(asked, leftMs) {
      const stated = statedBy(asked)
      if (stated === null) return unread(asked.terms, 'unknown_token')
      const question = { ...stated, amount: stated.amount.toString() }
      const work = (): Promise<Confirmation> => confirm(asked, stated, deps)
      return await confirmed.answer({ place: asked.place, question, work }, leftMs, (reason) =>
        unread(asked.terms, reason),
      )
    },
    async tell({ place, terms }, leftMs) {
      const { txHash, ownCanonicalAddress: own, contract } = terms
      const none = (reason: string): Told => ({ kind: 'unread', reason })
      if (txHash === null || histories.transactionsOf(place.chain).length === 0) return none('no_provider')
      const direction = terms.direction === 'incoming' ? 'incoming' : 'outgoing'
      const question: AskedMovements = { txHash, own, direction, contract }
      return await told.answer({ place, question, work: () => tellOf(place, question, deps) }, leftMs, none)
    },
    settled: (place) => Promise.all([confirmed.settled(place), told.settled(place)]),
  }
}

/** Questions of accounts, each asked once at a time, and their answers. */
function createQuestions<Answer>(
  { now }: Pick<ConfirmationsDeps, 'now'>,
  lasts: (answer: Answer) => boolean,
) {
  const kept = new Map<string, { readonly answer: Answer; readonly untilMs: number }>()
  const underWay = new Map<string, { readonly place: OwnedPlace; readonly told: Promise<Answer> }>()

  function keep(name: string, answer: Answer): void {
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest)
    kept.set(name, { answer, untilMs: lasts(answer) ? Infinity : now().getTime() + ANSWERS_FOR_MS })
  }

  function begin(name: string, place: OwnedPlace, work: () => Promise<Answer>): Promise<Answer> | null {
    const running = underWay.get(name)
    if (running !== undefined) return running.told
    if (hasFullPart(underWay.values(), place)) return null
    const told = work()
      .then((answer) => {
        keep(name, answer)
        return answer
      })
      .finally(() => underWay.delete(name))
    underWay.set(name, { place, told })
    return told
  }

  return {
    /** `without` gives the answer of a question that is `busy` or `late`. */
    async answer(
      asked: { readonly place: OwnedPlace; readonly question: object; readonly work: () => Promise<Answer> },
      leftMs: number,
      without: (reason: 'busy' | 'late') => Answer,
    ): Promise<Answer> {
      const { place } = asked
      const name = JSON.stringify([nameOf(place), asked.question])
      const known = kept.get(name)
      if (known !== undefined && known.untilMs > now().getTime()) return known.answer
      const told = begin(name, place, asked.work)
      if (told === null) return without('busy')
      const answer = await withinMs(leftMs, told)
      return answer === LATE ? without('late') : answer
    },
    settled: (place: OwnedPlace) =>
      Promise.all(
        [...underWay.values()].flatMap((one) => (nameOf(one.place) === nameOf(place) ? [one.told] : [])),
      ),
  }
}

/** An account asks as long as it has fewer questions under way than are left. */
function hasFullPart(
  underWay: Iterable<{ readonly place: OwnedPlace }>,
  { accountId }: Pick<OwnedPlace, 'accountId'>,
): boolean {
  let [own, all] = [0, 0]
  for (const { place } of underWay) {
    all += 1
    if (place.accountId === accountId) own += 1
  }
  return own >= MOST_UNDER_WAY - all
}

/** The transfer in the words of the chain; null for a token whose decimals are not known. */
function statedBy({ place, terms }: AskedTransfer): StatedMovement | null {
  const { contract, amount, direction, ownCanonicalAddress: own, txHash, unstated } = terms
  const asset = contract === null ? undefined : findAsset(place.chain, contract)
  if (asset === undefined || txHash === null || unstated.length > 0) return null
  const [from, to] = direction === 'incoming' ? [place.address, own] : [own, place.address]
  return { txHash, from, to, contract: asset.contract, amount: baseUnits(amount, asset.decimals) }
}

interface Asked<Answer> {
  readonly told: readonly { readonly provider: string; readonly answer: Answer }[]
  /** Why fewer told than must agree. */
  readonly reason: string
}

/** As many providers as must agree, in their order; those that have no answer are passed over. */
async function askInOrder<Answer>(
  place: OwnedPlace,
  ask: (
    source: TransactionProvider['source'],
    http: ReturnType<TransactionProvider['http']>,
  ) => Promise<Answer>,
  isAnswer: (answer: Answer) => boolean,
  { histories, turnsOf, logger }: ConfirmationsDeps,
): Promise<Asked<Answer>> {
  const takeTurn = turnsOf(place)
  const needed = neededOn(histories, place)
  const told: { readonly provider: string; readonly answer: Answer }[] = []
  let reason = ''
  for (const { source, http } of histories.transactionsOf(place.chain)) {
    const { provider } = source
    try {
      const answer = await ask(
        source,
        http(() => takeTurn(provider)),
      )
      if (isAnswer(answer)) told.push({ provider, answer })
      else reason = 'not_found'
    } catch (error) {
      if (!(error instanceof ProviderError) && !(error instanceof HistoryError)) throw error
      reason = error instanceof ProviderError ? error.code : error.reason
      logger.warn({ err: error, provider }, 'A transaction could not be read')
    }
    if (told.length === needed) break
  }
  return { told, reason }
}

const neededOn = (histories: Pick<Histories, 'mustAgree'>, { chain }: OwnedPlace): number =>
  histories.mustAgree(chain) ? 2 : 1

/** The first provider that tells anything decides; if two must agree, the words of two must be the same. */
async function confirm(
  { place, terms }: AskedTransfer,
  stated: StatedMovement,
  deps: ConfirmationsDeps,
): Promise<Confirmation> {
  const { told, reason } = await askInOrder(
    place,
    (source, http) => source.confirm(stated, http),
    (word) => word !== 'not_found',
    deps,
  )
  const [first] = told
  if (first === undefined) return unread(terms, reason)
  const toldBy = told.map(({ provider }) => provider).join('+')
  const isSame = told.every(({ answer }) => answer === first.answer)
  if (!isSame) return { seen: 'disagreement', toldBy, lookup: '' }
  return told.length < neededOn(deps.histories, place)
    ? unread(terms, 'unconfirmed')
    : { seen: first.answer, toldBy, lookup: '' }
}

/** What two providers must agree in are the transfers of the address, all of them. */
async function tellOf(place: OwnedPlace, asked: AskedMovements, deps: ConfirmationsDeps): Promise<Told> {
  const { told, reason } = await askInOrder(
    place,
    (source, http) => source.tell(asked, http),
    ({ word }) => word !== 'not_found',
    deps,
  )
  const [first] = told
  if (first === undefined) return { kind: 'unread', reason }
  if (told.length < neededOn(deps.histories, place)) return { kind: 'unread', reason: 'one_provider' }
  const isAgreed = told.every(({ answer }) => textOf(answer) === textOf(first.answer))
  const by = told.flatMap(({ provider, answer }) =>
    'movements' in answer ? [{ provider, movements: answer.movements }] : [],
  )
  if (by.length < told.length)
    return { kind: 'unread', reason: isAgreed ? first.answer.word : 'disagreement' }
  const word = told.some(({ answer }) => answer.word === 'other_senders') ? 'other_senders' : 'seen'
  return { kind: 'told', word, by, isAgreed }
}

const textOf = (told: ToldMovements): string =>
  JSON.stringify([
    told.word,
    ...('movements' in told
      ? told.movements.map((one) => `${one.counterparty} ${one.contract} ${one.amount}`).sort()
      : []),
  ])

const unread = ({ seen }: TransferTerms, lookup: string): Confirmation => ({ seen, toldBy: '', lookup })

const nameOf = ({ accountId, chain, address }: OwnedPlace): string => `${accountId} ${chain} ${address}`
