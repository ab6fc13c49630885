/** Before a request is decided, the transaction of its transfer is looked for at a provider, if the ledger did not read it. */
import type { Lane } from '@cupel/contracts'
import { waitMs } from '../chain-stage.js'
import type { Decision, Request } from '../lane.js'
import type { Confirmation, Confirmations } from '@cupel/chain-data/worker'

type Decide = (requests: readonly Request[]) => Promise<readonly Decision[]>

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
  if (confirmations === undefined) return decide
  const askedBy = ({ data }: Request) =>
    data.transfer === null || !data.livemode
      ? null
      : {
          place: { accountId: data.accountId, chain: data.chain, address: data.canonicalAddress },
          terms: data.transfer,
        }
  return async (requests) => {
    const asked = requests.map(askedBy).map((one) => (one !== null && confirmations.mayAsk(one) ? one : null))
    const accounts = new Set(asked.flatMap((one) => (one === null ? [] : [one.place.accountId])))
    if (accounts.size === 0) return await decide(requests)
    const never = await neverAsking([...accounts])
    const nowMs = now().getTime()
    const confirmed = requests.map(async (request, index): Promise<Request> => {
      const one = asked[index] ?? null
      if (one === null) return request
      const told: Confirmation = never.has(one.place.accountId)
        ? { seen: one.terms.seen, toldBy: '', lookup: 'not_allowed' }
        : await confirmations.ask(one, waitMs(lane, request, budgetMs, nowMs))
      return { ...request, data: { ...request.data, transfer: { ...one.terms, ...told } } }
    })
    return await decide(await Promise.all(confirmed))
  }
}
