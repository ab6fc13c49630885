/** Attributions of the addresses that a search reaches, from their labels. The labels of an address are read once. */
import {
  attribute,
  chainFactsOf,
  coinJoinAttribution,
  isCoinJoinNode,
  parseAddress,
  STEP_ITEMS,
  withCluster,
  type Attribution,
  type LabelFacts,
  type Steps,
  type Transfer,
} from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { readClusters } from './clusters.js'
import type { ExamineRequest } from './examine-request.js'
import { labelledAddresses } from './formats/multisig.js'
import { paced, rested, type Pace } from './pace.js'

/** An address is attributed with all its labels at once, so a step handles few addresses. */
const ATTRIBUTIONS_PER_STEP = 16

/** Addresses of one query: a hub has more counterparties than one statement should name. */
const ADDRESSES_PER_READ = 5_000

export interface Attributions {
  /** The attribution of an address; if it has no labels or was not learned, that of no labels. */
  readonly of: (address: string) => Attribution
  /** Reads the labels of all counterparties of the given addresses in these transfers, and of the others, at once. */
  learn(
    transfers: Iterable<Transfer>,
    addresses: ReadonlySet<string>,
    others?: readonly string[],
  ): Promise<void>
  /** Reads the labels of these addresses. */
  learnThese(addresses: readonly string[]): Promise<void>
}

export function createAttributions(database: Queryable, request: ExamineRequest, pace: Pace): Attributions {
  const { chain, policy } = request
  const byLabels = createByLabels(request, pace)
  /** By own labels and those of the cluster. */
  const inClusters = new Map<string, Attribution>()
  const asked = new Set<string>()

  async function learnThese(addresses: readonly string[]): Promise<void> {
    const unknown = [...new Set(addresses)].filter((one) => !asked.has(one))
    for (const one of unknown) asked.add(one)
    await byLabels.learn(unknown)
    if (chainFactsOf(chain)?.spendsTogether === true && unknown.length > 0) await learnClusters(unknown)
  }

  async function learnClusters(addresses: readonly string[]): Promise<void> {
    await rested(pace)
    const maxAddresses = policy.document.cluster.addresses
    const clusters = new Set((await readClusters(database, { ...request, addresses, maxAddresses })).values())
    for (const cluster of clusters) await byLabels.learn([...cluster])
    for (const cluster of clusters) {
      await rested(pace)
      const labelled = [...cluster].flatMap((one) => byLabels.known.get(one) ?? [])
      if (labelled.length === 0) continue
      for (const one of cluster) inClusters.set(one, withCluster(byLabels.of(one), labelled, policy))
    }
  }

  return {
    of: (address) => inClusters.get(address) ?? byLabels.of(address),
    async learn(transfers, addresses, others = []) {
      await learnThese([...(await paced(counterpartiesOf(transfers, addresses), pace)), ...others])
    },
    learnThese,
  }
}

function* counterpartiesOf(transfers: Iterable<Transfer>, of: ReadonlySet<string>): Steps<readonly string[]> {
  const found = new Set<string>()
  let items = 0
  for (const { from, to } of transfers) {
    if (items++ % STEP_ITEMS === 0) yield
    if (of.has(from)) found.add(to)
    if (of.has(to)) found.add(from)
  }
  return [...found]
}

/** Attributions by the labels of the address itself. */
function createByLabels(request: ExamineRequest, pace: Pace) {
  const known = new Map<string, Attribution>()
  const asked = new Set<string>()
  const nothing = attribute([], request)

  function* attributeEach(
    labels: ReadonlyMap<string, readonly LabelFacts[]>,
    { addresses, lookupKeys }: Unknown,
  ): Steps<void> {
    if (labels.size === 0) return
    let items = 0
    for (let index = 0; index < addresses.length; index++) {
      if (index % STEP_ITEMS === 0) yield
      const own = lookupKeys[index]!.flatMap((key) => labels.get(key) ?? [])
      if (own.length === 0) continue
      if (items++ % ATTRIBUTIONS_PER_STEP === 0) yield
      known.set(addresses[index]!, attribute(own, request))
    }
  }

  function unknownOf(addresses: readonly string[]): Unknown {
    const unknown: Unknown = { addresses: [], lookupKeys: [] }
    for (const one of addresses) {
      if (asked.has(one)) continue
      asked.add(one)
      const parsed = labelledAddresses(one).map((owner) => parseAddress(owner, request.chain))
      const keys = parsed.flatMap((owner) => (owner.ok ? [owner.lookupKey] : []))
      if (keys.length === 0) continue
      unknown.addresses.push(one)
      unknown.lookupKeys.push(keys)
    }
    return unknown
  }

  return {
    known,
    of: (address: string): Attribution =>
      known.get(address) ?? (isCoinJoinNode(address) ? coinJoinAttribution : nothing),
    async learn(all: readonly string[]): Promise<void> {
      for (let start = 0; start < all.length; start += ADDRESSES_PER_READ) {
        await rested(pace)
        const unknown = unknownOf(all.slice(start, start + ADDRESSES_PER_READ))
        if (unknown.lookupKeys.length === 0) continue
        const labels = await request.labelsOf([...new Set(unknown.lookupKeys.flat())])
        await paced(attributeEach(labels, unknown), pace)
      }
    },
  }
}

/** Addresses, and in the same order the look-up keys of their labels. */
interface Unknown {
  readonly addresses: string[]
  readonly lookupKeys: (readonly string[])[]
}
