/**
 * Decides again, for a caller that waits, a request whose report lacks a stage, or whose transaction no provider has told yet: until nothing is
 * missing, or the time of the caller is over. What is late is finished in the background: waiting takes no slot, and no other request waits behind it.
 */
import { sleep, withinMs } from '@cupel/kit/concurrency'
import type { Report } from '@cupel/contracts'
import type { Decide, Decision, Request } from './lane.js'
import { onEveryChain } from './candidates.js'

export interface Patience {
  /** Adds the later decision to each one whose caller waits for what it lacks. */
  after(decide: Decide): Decide
  /** Ends each wait: the decisions are appended as they are. */
  stop(): void
}

export interface PatienceDeps {
  readonly now: () => Date
  /** Resolves when nothing that was late for the address is under way. */
  readonly settled: (place: {
    readonly accountId: string
    readonly chain: string
    readonly address: string
  }) => Promise<unknown>
}

/** Between two decisions: a provider that refuses is not queried without a pause. */
const FIRST_REST_MS = 100
const LONGEST_REST_MS = 2_000

/** A provider may have told the counterparty of a transfer. */
const screenedBy = (request: Request, decision: Waiting): Request =>
  decision.kind === 'refused' || request.data.transfer?.unstated.includes('counterparty') !== true
    ? request
    : { ...request, data: { ...request.data, canonicalAddress: decision.event.data.canonicalAddress } }

export function createPatience({ now, settled }: PatienceDeps): Patience {
  const stopping = new AbortController()
  const leftMs = ({ data }: Request): number =>
    data.stagesByAt === null || stopping.signal.aborted ? 0 : Date.parse(data.stagesByAt) - now().getTime()

  const settledOn = (request: Request): Promise<unknown> =>
    Promise.all(
      onEveryChain(request).map(({ data: { accountId, chain, canonicalAddress: address } }) =>
        settled({ accountId, chain, address }),
      ),
    )

  async function laterOf(decide: Decide, request: Request, first: Waiting): Promise<Decision> {
    let last = first
    for (
      let restMs = FIRST_REST_MS;
      leftMs(request) > restMs;
      restMs = Math.min(2 * restMs, LONGEST_REST_MS)
    ) {
      await sleep(restMs, stopping.signal)
      await withinMs(leftMs(request), Promise.race([settledOn(screenedBy(request, last)), stopped]))
      const next = await (await decide([request]))[0]
      // A report that lacks a stage says more than a refusal.
      if (next?.kind !== 'report' && (next?.kind !== 'refused' || last.kind === 'report')) break
      if (!isWaiting(next)) return next
      last = next
    }
    return last
  }

  const stopped = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))

  return {
    after: (decide) => async (requests) => {
      const decisions = await decide(requests)
      return decisions.map(async (decided, index) => {
        const [request, decision] = [requests[index]!, await decided]
        if (leftMs(request) <= 0 || !isWaiting(decision)) return decision
        // Without the database or the labels no later decision is made: the first one stands.
        return { ...decision, later: laterOf(decide, request, decision).catch(() => decision) }
      })
    },
    stop: () => stopping.abort(),
  }
}

type Waiting = Exclude<Decision, { readonly kind: 'undecidable' }>

/** Whether a later decision may know more. */
function isWaiting(decision: Decision): decision is Waiting {
  if (decision.kind === 'refused') return decision.code === 'unavailable'
  if (decision.kind !== 'report') return false
  return (JSON.parse(decision.event.data.report) as Report).coverage.missing_stages !== undefined
}
