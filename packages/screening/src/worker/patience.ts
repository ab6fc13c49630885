/**
 * Decides again, for a caller that waits, a request whose report lacks a stage: until the report is whole, or the time of the caller is over.
 * What is late is finished beside the screens, so that waiting takes no slot, and no other request waits behind it.
 */
import { sleep, withinMs } from '@cupel/kit/concurrency'
import type { DomainEvent, Report } from '@cupel/contracts'
import type { Decision, Request } from './lane.js'
import { onEveryChain } from './candidates.js'

type Decide = (requests: readonly Request[]) => Promise<readonly Decision[]>

export interface Patience {
  /** Adds the later report to each decision whose caller waits for what it lacks. */
  after(decide: Decide): Decide
  /** Ends each wait: the reports are appended as they are. */
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
const screenedBy = (request: Request, { data }: ReportEvent): Request =>
  request.data.transfer?.unstated.includes('counterparty') !== true
    ? request
    : { ...request, data: { ...request.data, canonicalAddress: data.canonicalAddress } }

export function createPatience({ now, settled }: PatienceDeps): Patience {
  const stopping = new AbortController()
  const leftMs = ({ data }: Request): number =>
    data.stagesByAt === null || stopping.signal.aborted ? 0 : Date.parse(data.stagesByAt) - now().getTime()

  async function wholeOf(decide: Decide, request: Request, first: ReportEvent): Promise<ReportEvent> {
    const settledOn = onEveryChain(screenedBy(request, first)).map(({ data }) => ({
      accountId: data.accountId,
      chain: data.chain,
      address: data.canonicalAddress,
    }))
    let last = first
    for (
      let restMs = FIRST_REST_MS;
      leftMs(request) > restMs;
      restMs = Math.min(2 * restMs, LONGEST_REST_MS)
    ) {
      await sleep(restMs, stopping.signal)
      await withinMs(
        leftMs(request),
        Promise.race([Promise.all(settledOn.map((place) => settled(place))), stopped]),
      )
      const [next] = await decide([request])
      if (next?.kind !== 'report') break
      last = next.event
      if (!lacksStage(last)) break
    }
    return last
  }

  const stopped = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))

  return {
    after: (decide) => async (requests) => {
      const decisions = await decide(requests)
      return decisions.map((decision, index) => {
        const request = requests[index]!
        if (decision.kind !== 'report' || leftMs(request) <= 0 || !lacksStage(decision.event)) return decision
        const { event } = decision
        // Without the database or the labels no later report is made: the first one stands.
        const whole = wholeOf(decide, request, event).catch(() => event)
        return { ...decision, whole }
      })
    },
    stop: () => stopping.abort(),
  }
}

type ReportEvent = DomainEvent<'ReportGenerated'>

function lacksStage({ data }: ReportEvent): boolean {
  return (JSON.parse(data.report) as Report).coverage.missing_stages !== undefined
}
