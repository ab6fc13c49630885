/**
 * Follows transfers from an address through others that belong to no service and no hub. Every limit is a count, so the same
 * ledger gives the same answer on a slow machine.
 */
import type { ExposureCut } from '@cupel/contracts'
import {
  attribute,
  findAsset,
  isAssetContract,
  parseAddress,
  STEP_ITEMS,
  type Attribution,
  type LabelFacts,
  type Steps,
  type Transfer,
} from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import type { ExamineRequest } from './examine-request.js'
import { paced, rested, type Pace } from './pace.js'
import { readTransfers } from './read-transfers.js'
import { fittingOf, type KnownSizes } from './sizes.js'

/** Transfers of one read on the way: few enough to be short, so that others come in between. */
const TRANSFERS_PER_READ = 2_000
/** An address with labels is judged by all of them. */
const ATTRIBUTIONS_PER_STEP = 16

export interface Search {
  readonly attributionOf: (address: string) => Attribution
  /** Adds the transfers of everyone a path goes through to those given; returns whom. */
  follow(transfers: Map<string, Transfer>): Promise<readonly string[]>
  /** Addresses at which paths ended, and why. */
  readonly cut: readonly ExposureCut[]
}

export function createSearch(
  database: Queryable,
  request: ExamineRequest,
  { pace, knownSizes }: { readonly pace: Pace; readonly knownSizes: KnownSizes },
): Search {
  const { chain, address, policy, labelsOf } = request
  const { hops, limits } = policy.exposure.document
  const attributions = new Map<string, Attribution>()
  const cut: ExposureCut[] = []
  const ended = new Set<string>([address])
  const nothing = attribute([], request)
  const counterparties = createCounterparties(chain)

  const attributionOf = (one: string): Attribution => attributions.get(one) ?? nothing

  async function learnLabels(transfers: Iterable<Transfer>, of: ReadonlySet<string>): Promise<void> {
    const unknown = await paced(counterparties.unknown(transfers, of), pace)
    if (unknown.lookupKeys.length === 0) return
    await rested(pace)
    const labels = await labelsOf(unknown.lookupKeys)
    await paced(attributeEach(labels, unknown), pace)
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
      attributions.set(addresses[index]!, attribute(own, request))
    }
  }

  function end(one: string, reason: string, hop: number): void {
    cut.push({ address: one, reason, hops: hop })
    ended.add(one)
  }

  /** Whether a path may go on through an address, and if not, why. */
  function endOf(one: string): string | null {
    const { service, isLabelled } = attributionOf(one)
    if (service !== null) return 'service'
    return !isLabelled && isAssetContract(chain, one) ? 'contract' : null
  }

  /** Those of the candidates that a path may go through, as many as the limit leaves. */
  function openOf(candidates: readonly string[], hop: number, followed: number): readonly string[] {
    const open: string[] = []
    for (const one of candidates) {
      if (ended.has(one)) continue
      const isFull = open.length + followed >= limits.intermediaries
      const reason = endOf(one) ?? (isFull ? 'limit' : null)
      if (reason === null) open.push(one)
      else end(one, reason, hop)
    }
    return open
  }

  async function follow(transfers: Map<string, Transfer>): Promise<readonly string[]> {
    const followed: string[] = []
    let remaining = limits.transfers_of_intermediaries
    let reached: ReadonlySet<string> = new Set([address])
    await learnLabels(transfers.values(), reached)
    for (let hop = 1; hop < hops; hop++) {
      const candidates = await paced(counterparties.weighed(transfers.values(), reached), pace)
      const open = openOf(candidates, hop, followed.length)
      await rested(pace)
      const { through, cut: tooLarge } = await fittingOf(database, open, {
        ...request,
        limits: {
          transfers: limits.transfers_per_intermediary,
          remaining,
          counterparties: limits.hub_counterparties,
        },
        isLabelled: (one) => attributionOf(one).isLabelled,
        known: knownSizes,
      })
      for (const one of tooLarge) end(one.address, one.reason, hop)
      for (const addresses of readsOf(through)) {
        await rested(pace)
        const limit = limits.transfers_per_intermediary
        const read = await readTransfers(database, { ...request, addresses, limit, pace })
        for (const one of addresses) {
          const own = read.get(one)?.transfers ?? []
          for (const transfer of own) transfers.set(transfer.id, transfer)
          followed.push(one)
          ended.add(one)
          remaining -= own.length
        }
      }
      reached = new Set(through.keys())
      await learnLabels(transfers.values(), reached)
    }
    return followed
  }

  return { attributionOf, follow, cut }
}

/** Parts the addresses into reads of not too many transfers. */
function* readsOf(through: ReadonlyMap<string, number>): Generator<readonly string[]> {
  let addresses: string[] = []
  let transfers = 0
  for (const [one, count] of through) {
    if (addresses.length > 0 && transfers + count > TRANSFERS_PER_READ) {
      yield addresses
      addresses = []
      transfers = 0
    }
    addresses.push(one)
    transfers += count
  }
  if (addresses.length > 0) yield addresses
}

/** Addresses, and in the same order the keys of their labels. */
interface Unknown {
  readonly addresses: readonly string[]
  readonly lookupKeys: readonly string[]
}

function createCounterparties(chain: string) {
  const asked = new Set<string>()
  return {
    /** Counterparties of the given addresses that were not asked about before. */
    *unknown(transfers: Iterable<Transfer>, of: ReadonlySet<string>): Steps<Unknown> {
      const addresses: string[] = []
      const lookupKeys: string[] = []
      const add = (one: string): void => {
        if (asked.has(one)) return
        asked.add(one)
        const parsed = parseAddress(one, chain)
        if (!parsed.ok) return
        addresses.push(one)
        lookupKeys.push(parsed.lookupKey)
      }
      let items = 0
      for (const { from, to } of transfers) {
        if (items++ % STEP_ITEMS === 0) yield
        if (of.has(from)) add(to)
        if (of.has(to)) add(from)
      }
      return { addresses, lookupKeys }
    },

    /** Counterparties of the given addresses, those of most value beside its dust first; the address settles the rest. */
    *weighed(transfers: Iterable<Transfer>, of: ReadonlySet<string>): Steps<readonly string[]> {
      const weights = new Map<string, bigint>()
      let items = 0
      for (const { from, to, amount, contract } of transfers) {
        if (items++ % STEP_ITEMS === 0) yield
        const asset = findAsset(chain, contract)
        if (asset === undefined) continue
        const weight = (amount * 1_000_000n) / asset.dust
        if (of.has(from)) weights.set(to, (weights.get(to) ?? 0n) + weight)
        if (of.has(to)) weights.set(from, (weights.get(from) ?? 0n) + weight)
      }
      return [...weights]
        .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1))
        .map(([one]) => one)
    },
  }
}
