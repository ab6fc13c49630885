/** A request whose transfer was left to its transaction, with what a provider told of that; or why it cannot be screened. */
import type { Told } from '@cupel/chain-data/worker'
import type { TransferRefusalCode, TransferTerms } from '@cupel/contracts'
import { completeTerms, screenedAddress, screenedAddressOf, severalTransfers } from '@cupel/domain'
import type { Refused, Request } from '../lane.js'

/** Reasons after which the same question may have an answer. */
const PASSING: ReadonlySet<string> = new Set(['late', 'busy'])

export function completedRequest(request: Request, terms: TransferTerms, told: Told): Request | Refused {
  if (told.kind === 'unread') return notTold(told.reason)
  const { chain, address } = request.data
  const outcomes = told.by.map(({ movements }) => completeTerms({ chain, address, terms }, movements))
  const found = outcomes.flatMap((one) =>
    one.kind === 'ambiguous'
      ? one.found
      : one.kind === 'terms'
        ? [
            `${one.terms.amount} ${one.terms.contract === '' ? chain : one.terms.contract} ${one.counterparty.canonical}`,
          ]
        : [],
  )
  const [first] = outcomes
  if (!told.isAgreed && found.length > 0)
    return refused(
      'transfer_ambiguous',
      `Two providers say different things. ${severalTransfers([...new Set(found)])}`,
    )
  if (first?.kind === 'ambiguous') return refused('transfer_ambiguous', severalTransfers(first.found))
  if (first?.kind !== 'terms') return notTold('no_such_transfer')
  const { microUsd, pricedOn, unstated } = terms
  const toldBy = told.by.map(({ provider }) => provider).join('+')
  const transfer = { ...first.terms, ...{ seen: told.word, toldBy, microUsd, pricedOn, unstated } }
  const screened = screenedAddressOf(screenedAddress(first.counterparty))
  return { ...request, data: { ...request.data, ...screened, transfer } }
}

export const notTold = (reason: string): Refused =>
  PASSING.has(reason)
    ? refused(
        'unavailable',
        'No provider has told of the transaction yet. Send the transfer again, or state it whole.',
      )
    : refused(
        'transfer_not_found',
        `The ledger did not read the transaction, and ${WHY[reason] ?? `no provider told of it (${reason})`}. State sender, receiver, asset and amount to screen it as you state it.`,
      )

const WHY: Readonly<Record<string, string>> = {
  no_provider: 'no provider is asked for one',
  not_allowed: 'the account asks no provider (not_allowed)',
  not_found: 'no provider has it (not_found)',
  unconfirmed: 'it has no block, or one that may still be replaced (unconfirmed)',
  one_provider: 'only one of two providers that must agree told of it (one_provider)',
  disagreement: 'two providers say different things of it (disagreement)',
  failed: 'it failed, so that it moved nothing (failed)',
  no_such_transfer: 'a provider tells no such transfer of your address in it in an asset that Cupel knows',
}

const refused = (code: TransferRefusalCode, detail: string): Refused => ({ kind: 'refused', code, detail })
