/**
 * Before a request is decided, the transaction of its transfer is looked for at a provider, if the ledger did not read it. What the caller left to
 * the transaction is completed, or the request is refused by name.
 */
import type { Lane, TransferTerms } from '@cupel/contracts'
import { waitMs } from '../chain-stage.js'
import type { Decide, Refused, Request } from '../lane.js'
import type { AskedTransfer, Confirmation, Confirmations } from '@cupel/chain-data/worker'
import { completedRequest, notTold } from './complete-request.js'

export interface ConfirmTransfersDeps {
  /** Absent if the operator allows no histories: then nobody is asked for a transaction. */
  readonly confirmations: Confirmations | undefined
  readonly budgetMs: number
  readonly now: () => Date
  /** Which of these accounts never ask. */
  readonly neverAsking: (accountIds: readonly string[]) => Promise<ReadonlySet<string>>
}

/** What is decided has the terms with what was told; the request in the log keeps those of the caller. */
export function confirmTransfers(
  lane: Lane,
  decide: Decide,
  { confirmations, budgetMs, now, neverAsking }: ConfirmTransfersDeps,
): Decide {
  const isAsked = (one: AskedTransfer): boolean => confirmations?.mayAsk(one) === true || isLeft(one.terms)

  async function told(request: Request, one: AskedTransfer, isNever: boolean): Promise<Request | Refused> {
    const { place, terms } = one
    const leftMs = waitMs(lane, request, budgetMs, now().getTime())
    if (isLeft(terms)) {
      if (confirmations === undefined || !request.data.livemode) return notTold('no_provider')
      if (isNever) return notTold('not_allowed')
      return completedRequest(request, terms, await confirmations.tell(one, leftMs))
    }
    const confirmation: Confirmation = isNever
      ? { seen: terms.seen, toldBy: '', lookup: 'not_allowed' }
      : await confirmations!.ask({ place, terms }, leftMs)
    return { ...request, data: { ...request.data, transfer: { ...terms, ...confirmation } } }
  }

  return async (requests) => {
    const asked = requests.map((request) => {
      const one = askedBy(request)
      return one !== null && isAsked(one) ? one : null
    })
    const accounts = new Set(asked.flatMap((one) => (one === null ? [] : [one.place.accountId])))
    if (accounts.size === 0) return await decide(requests)
    const never = await neverAsking([...accounts])
    const found = await Promise.all(
      requests.map(async (request, index) => {
        const one = asked[index] ?? null
        return one === null ? request : await told(request, one, never.has(one.place.accountId))
      }),
    )
    const decided = (await decide(found.filter((one) => !isRefused(one)) as readonly Request[])).values()
    return found.map(async (one) => (isRefused(one) ? one : await decided.next().value!))
  }
}

const isRefused = (one: Request | Refused): one is Refused => 'kind' in one
/** Whether the caller leaves a part of the transfer to the transaction. */
const isLeft = ({ unstated }: TransferTerms): boolean => unstated.length > 0

function askedBy({ data }: Request): AskedTransfer | null {
  const { accountId, chain, canonicalAddress: address, transfer: terms, livemode } = data
  if (terms === null || (!livemode && !isLeft(terms))) return null
  return { place: { accountId, chain, address }, terms }
}
