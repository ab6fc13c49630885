/**
 * Examines an address on the ledger: reads its transfers, follows them through addresses that belong to no service and no
 * hub, and measures. Every limit is a count, so the same ledger gives the same answer on a slow machine.
 */
import type { ExposureCut, ExposureRecord } from '@cupel/contracts'
import {
  attribute,
  findAsset,
  isAssetContract,
  measureExposure,
  parseAddress,
  type Attribution,
  type CompiledPolicy,
  type DeclaredRange,
  type LabelFacts,
  type LabelSetFacts,
  type Transfer,
} from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { countTransfers, readTransfers, type TransfersOfAddress } from './read-transfers.js'
import { declaredRanges } from './segments.js'

export interface ExamineRequest {
  readonly chain: string
  /** Canonical. */
  readonly address: string
  /** Names the state of the ledger. */
  readonly ledgerSeq: number
  readonly policy: CompiledPolicy
  readonly labelSets: readonly LabelSetFacts[]
  /** UTC, RFC 3339. */
  readonly generatedAt: string
  /** Every label under each look-up key, in the state of labels that the report rests on. */
  readonly labelsOf: (lookupKeys: readonly string[]) => Promise<ReadonlyMap<string, readonly LabelFacts[]>>
}

/** What was read before, for a whole batch. */
export interface ReadBefore {
  readonly own: TransfersOfAddress
  readonly ranges: readonly DeclaredRange[]
}

/** Measures the exposure of an address in one state of ledger and labels. */
export async function examineAddress(
  database: Queryable,
  request: ExamineRequest,
  before?: ReadBefore,
): Promise<ExposureRecord> {
  const { chain, address, ledgerSeq, policy, generatedAt } = request
  const limit = policy.exposure.document.limits.transfers
  const found =
    before?.own ?? (await readTransfers(database, { ...request, addresses: [address], limit })).get(address)
  const ranges = before?.ranges ?? (await declaredRanges(database, { chain, ledgerSeq }))
  const search = createSearch(database, request)
  const transfers = new Map((found?.transfers ?? []).map((one) => [one.id, one]))
  const ownIds = new Set(transfers.keys())
  const followed = found === undefined ? [] : await search.follow(transfers)
  return measureExposure(
    {
      chain,
      address,
      ledgerSeq,
      transfers: [...transfers.values()],
      followed,
      cut: search.cut,
      truncated: found?.isCut ?? false,
      ownIds,
      ranges,
    },
    { attributionOf: search.attributionOf, generatedAt, policy },
  )
}

function createSearch(database: Queryable, request: ExamineRequest) {
  const { chain, address, policy, labelsOf } = request
  const { hops, limits } = policy.exposure.document
  const attributions = new Map<string, Attribution>()
  const cut: ExposureCut[] = []
  const nothing = attribute([], request)

  const attributionOf = (one: string): Attribution => attributions.get(one) ?? nothing

  async function learnLabels(addresses: Iterable<string>): Promise<void> {
    const keys = new Map<string, string>()
    for (const one of addresses) {
      if (attributions.has(one)) continue
      const parsed = parseAddress(one, chain)
      if (parsed.ok) keys.set(one, parsed.lookupKey)
    }
    if (keys.size === 0) return
    const labels = await labelsOf([...new Set(keys.values())])
    for (const [one, key] of keys) {
      const own = labels.get(key)
      attributions.set(one, own === undefined ? nothing : attribute(own, request))
    }
  }

  /** Whether a path may go on through an address, and if not, why. */
  function endOf(one: string): string | null {
    const { service, isLabelled } = attributionOf(one)
    if (service !== null) return 'service'
    return !isLabelled && isAssetContract(chain, one) ? 'contract' : null
  }

  /** Adds the transfers of everyone a path goes through to those given; returns whom. */
  async function follow(transfers: Map<string, Transfer>): Promise<readonly string[]> {
    const followed = new Set<string>()
    let remaining = limits.transfers_of_intermediaries
    let reached = new Set([address])
    await learnLabels(counterparties(transfers.values(), reached))
    for (let hop = 1; hop < hops; hop++) {
      const candidates = weighed(chain, transfers.values(), reached).filter(
        (one) => one !== address && !followed.has(one) && !cut.some((known) => known.address === one),
      )
      const open: string[] = []
      for (const one of candidates) {
        const reason = endOf(one) ?? (open.length + followed.size >= limits.intermediaries ? 'limit' : null)
        if (reason === null) open.push(one)
        else cut.push({ address: one, reason, hops: hop })
      }
      const counts = await countTransfers(database, {
        ...request,
        addresses: open,
        limit: Math.max(limits.transfers_per_intermediary, limits.hub_counterparties) + 1,
      })
      const through: string[] = []
      for (const one of open) {
        const known = counts.get(one) ?? { transfers: 0, counterparties: 0 }
        const reason = cutBySize(known, attributionOf(one).isLabelled, remaining)
        if (reason !== null) {
          cut.push({ address: one, reason, hops: hop })
          continue
        }
        remaining -= known.transfers
        through.push(one)
      }
      const read = await readTransfers(database, {
        ...request,
        addresses: through,
        limit: limits.transfers_per_intermediary,
      })
      for (const one of through) {
        followed.add(one)
        for (const transfer of read.get(one)?.transfers ?? []) transfers.set(transfer.id, transfer)
      }
      reached = new Set(through)
      await learnLabels(counterparties(transfers.values(), reached))
    }
    return [...followed]
  }

  function cutBySize(
    known: { readonly transfers: number; readonly counterparties: number },
    isLabelled: boolean,
    remaining: number,
  ): string | null {
    if (!isLabelled && known.counterparties > limits.hub_counterparties) return 'hub'
    if (known.transfers > limits.transfers_per_intermediary) return 'too_many_transfers'
    return known.transfers > remaining ? 'limit' : null
  }

  return { attributionOf, follow, cut }
}

function counterparties(transfers: Iterable<Transfer>, of: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { from, to } of transfers) {
    if (of.has(from)) found.add(to)
    if (of.has(to)) found.add(from)
  }
  return found
}

/** Counterparties of the given addresses, those of most value beside its dust first; the address settles the rest. */
function weighed(chain: string, transfers: Iterable<Transfer>, of: ReadonlySet<string>): readonly string[] {
  const weights = new Map<string, bigint>()
  for (const { from, to, amount, contract } of transfers) {
    const asset = findAsset(chain, contract)
    if (asset === undefined) continue
    const weight = (amount * 1_000_000n) / asset.dust
    if (of.has(from)) weights.set(to, (weights.get(to) ?? 0n) + weight)
    if (of.has(to)) weights.set(from, (weights.get(from) ?? 0n) + weight)
  }
  return [...weights]
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1))
    .map(([one]) => one)
}
