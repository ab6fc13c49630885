/** What the ledger and its table of prices know of a stated transfer. Rows that the log does not state are not used. */
import type { Caller } from '@cupel/gate/access'
import type { TransferTerms } from '@cupel/contracts'
import { findAsset, termsOf, type ParsedAddress, type ReadTransfer, type TermsOutcome } from '@cupel/domain'
import { LogUnavailableError, type EventCodec, type EventLog } from '@cupel/event-log'
import {
  createLedgerCheck,
  findMovements,
  latestPrice,
  ledgerChains,
  type CheckedLedger,
} from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import type { Refusal } from '@cupel/gate/http'

export type CompletedTransfer =
  /** `screened`: the counterparty; the own address if a provider is to tell the counterparty. */
  | { readonly kind: 'terms'; readonly screened: ParsedAddress; readonly terms: TransferTerms }
  | Exclude<TermsOutcome, { readonly kind: 'terms' | 'unread' }>
  /** Nothing is known of the ledger; `because` is a sentence. */
  | { readonly kind: 'unavailable'; readonly because: string }

export interface TransferReads {
  /** A search of many transfers is made by `slice`, when it is the turn of the account; its refusal is returned. */
  complete(
    caller: Pick<Caller, 'livemode'>,
    stated: ReadTransfer,
    slice: Slice,
  ): Promise<CompletedTransfer | Refusal>
}

export type Slice = <Result>(search: () => Promise<Result>) => Promise<Result | Refusal>

export interface TransferReadsOptions {
  readonly database: Queryable
  readonly log: EventLog
  readonly codec: EventCodec
  readonly now: () => Date
}

type Ledger = Pick<CheckedLedger, 'ledgerSeq' | 'pricesSha256' | 'fault' | 'unstated'>

/** Transfers of an address that are searched for a hash without a turn. */
const SEARCHED_AT_ONCE = 1_000
const DAY_LETTERS = 'YYYY-MM-DD'.length
const nothing: Ledger = { ledgerSeq: 0, pricesSha256: null, fault: null, unstated: null }

export function createTransferReads(options: TransferReadsOptions): TransferReads {
  const { database, now } = options
  const checkLedger = createLedgerCheck(options)
  return {
    async complete({ livemode }, stated, slice) {
      // The sandbox reads no ledger.
      const ledger: Ledger = livemode ? await checkLedger().catch(unreachable) : nothing
      const fault = ledger.fault ?? ledger.unstated
      // A planned transfer asks the ledger for a price and for nothing else.
      if (fault !== null && stated.txHash !== null) return { kind: 'unavailable', because: fault }
      const usable = fault === null ? ledger : nothing
      const known = await readMovements(database, stated, { ...usable, slice })
      if ('code' in known) return known
      const found = termsOf(stated, known)
      if (found.kind === 'ambiguous' || found.kind === 'not-found') return found
      // Nobody asks a provider for the sandbox.
      if (found.kind === 'unread' && !livemode) return { kind: 'not-found' }
      const { terms } = found
      const screened = found.kind === 'terms' ? found.counterparty : found.screened
      const price = await priceOf(database, {
        ...{ chain: screened.chain, terms, sha256: usable.pricesSha256 },
        today: now().toISOString().slice(0, DAY_LETTERS),
      })
      return { kind: 'terms', screened, terms: { ...terms, ...price } }
    },
  }
}

function unreachable(error: unknown): Ledger {
  if (!(error instanceof LogUnavailableError)) throw error
  return { ...nothing, fault: 'The ledger cannot be compared with the log at present.' }
}

async function readMovements(
  database: Queryable,
  { own, direction, txHash }: ReadTransfer,
  { ledgerSeq, slice }: Ledger & { readonly slice: Slice },
): Promise<Parameters<typeof termsOf>[1] | Refusal> {
  const isKnown = txHash !== null && ledgerSeq > 0 && (await ledgerChains(database)).has(own.chain)
  if (!isKnown) return { movements: null, ledgerSeq: 0 }
  const { chain, canonical: address } = own
  const asked = { chain, ledgerSeq, address, direction, txHash }
  const movements =
    (await findMovements(database, { ...asked, maxSearched: SEARCHED_AT_ONCE })) ??
    (await slice(() => findMovements(database, asked)))
  if (movements !== null && 'code' in movements) return movements
  return { movements: movements ?? 'not-searched', ledgerSeq }
}

async function priceOf(
  database: Queryable,
  {
    chain,
    terms: { contract },
    sha256,
    today,
  }: {
    readonly chain: string
    readonly terms: Pick<TransferTerms, 'contract'>
    readonly sha256: string | null
    /** UTC day. */
    readonly today: string
  },
): Promise<Pick<TransferTerms, 'microUsd' | 'pricedOn'>> {
  const asset = contract === null ? undefined : findAsset(chain, contract)
  if (asset === undefined || sha256 === null) return { microUsd: null, pricedOn: null }
  const price = await latestPrice(database, { sha256, symbol: asset.symbol, today })
  return { microUsd: price?.microUsd.toString() ?? null, pricedOn: price?.pricedOn ?? null }
}
