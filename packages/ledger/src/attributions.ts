/** Attributions of the addresses that a search reaches, from their labels. The labels of an address are read once. */
import {
  attribute,
  coinJoinAttribution,
  isCoinJoinNode,
  parseAddress,
  STEP_ITEMS,
  type Attribution,
  type LabelFacts,
  type Steps,
  type Transfer,
} from '@cupel/domain'
import type { ExamineRequest } from './examine-request.js'
import { paced, rested, type Pace } from './pace.js'

/** An address is attributed with all its labels at once, so a step handles few addresses. */
const ATTRIBUTIONS_PER_STEP = 16

/** Look-up keys of one query: a hub has more counterparties than one statement should name. */
const KEYS_PER_READ = 5_000

export interface Attributions {
  /** The attribution of an address; if it has no labels or was not learned, that of no labels. */
  readonly of: (address: string) => Attribution
  /** Reads the labels of all counterparties of the given addresses in these transfers. */
  learn(transfers: Iterable<Transfer>, addresses: ReadonlySet<string>): Promise<void>
  /** Reads the labels of these addresses. */
  learnThese(addresses: readonly string[]): Promise<void>
}

export function createAttributions(request: ExamineRequest, pace: Pace): Attributions {
  const known = new Map<string, Attribution>()
  const asked = new Set<string>()
  const nothing = attribute([], request)

  /** Counterparties that no earlier call requested. */
  function* newCounterparties(transfers: Iterable<Transfer>, of: ReadonlySet<string>): Steps<Unknown> {
    const unknown = noneYet()
    const add = (one: string): void => addNew(unknown, one)
    let items = 0
    for (const { from, to } of transfers) {
      if (items++ % STEP_ITEMS === 0) yield
      if (of.has(from)) add(to)
      if (of.has(to)) add(from)
    }
    return unknown
  }

  const noneYet = (): Unknown => ({ addresses: [], lookupKeys: [] })

  function addNew({ addresses, lookupKeys }: Unknown, one: string): void {
    if (asked.has(one)) return
    asked.add(one)
    const parsed = parseAddress(one, request.chain)
    if (!parsed.ok) return
    addresses.push(one)
    lookupKeys.push(parsed.lookupKey)
  }

  async function learnUnknown(unknown: Unknown): Promise<void> {
    for (let start = 0; start < unknown.lookupKeys.length; start += KEYS_PER_READ) {
      await rested(pace)
      const lookupKeys = unknown.lookupKeys.slice(start, start + KEYS_PER_READ)
      const addresses = unknown.addresses.slice(start, start + KEYS_PER_READ)
      const labels = await request.labelsOf(lookupKeys)
      await paced(attributeEach(labels, { addresses, lookupKeys }), pace)
    }
  }

  function* attributeEach(
    labels: ReadonlyMap<string, readonly LabelFacts[]>,
    { addresses, lookupKeys }: Unknown,
  ): Steps<void> {
    if (labels.size === 0) return
    let items = 0
    for (let index = 0; index < addresses.length; index++) {
      if (index % STEP_ITEMS === 0) yield
      const own = labels.get(lookupKeys[index]!)
      if (own === undefined) continue
      if (items++ % ATTRIBUTIONS_PER_STEP === 0) yield
      known.set(addresses[index]!, attribute(own, request))
    }
  }

  return {
    of: (address) => known.get(address) ?? (isCoinJoinNode(address) ? coinJoinAttribution : nothing),
    async learn(transfers, addresses) {
      await learnUnknown(await paced(newCounterparties(transfers, addresses), pace))
    },
    async learnThese(addresses) {
      const unknown = noneYet()
      for (const one of addresses) addNew(unknown, one)
      await learnUnknown(unknown)
    },
  }
}

/** Addresses, and in the same order the look-up keys of their labels. */
interface Unknown {
  readonly addresses: string[]
  readonly lookupKeys: string[]
}
