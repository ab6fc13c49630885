/**
 * Reads a world as a ledger with limits reads it: the largest transfers of the address each, the others added up by counterparty, asset and
 * day; and no path leads through a hub, which exchanged at least dust with many.
 */
import type { Neighbourhood, Transfer } from '../src/index.js'
import { addressNamed, assetOf, type View } from './adversary-world.js'

const DAY_S = 86_400

/** Millionths of the dust of its asset. */
const worthOf = ({ chain }: View, one: Transfer): bigint =>
  (one.amount * 1_000_000n) / assetOf(chain, one).dust

export function readOf(
  view: View,
): Pick<Neighbourhood, 'transfers' | 'bundles' | 'followed' | 'cut' | 'truncated' | 'ownIds'> {
  const wanted = [...view.followed.map(addressNamed), ...(view.nodes ?? [])]
  const { reading, transfers, truncated } = view
  const all = { transfers, followed: wanted, cut: [], truncated }
  if (reading === undefined) return all
  const hubs = wanted.filter((one) => payersOf(view, one) > reading.hubCounterparties)
  const followed = wanted.filter((one) => !hubs.includes(one))
  const isOwn = ({ from, to }: Transfer): boolean => [from, to].includes(addressNamed('a'))
  const own = transfers.filter(isOwn).toSorted((a, b) => Number(worthOf(view, b) - worthOf(view, a)))
  const isFollowed = ({ from, to }: Transfer): boolean => [from, to].some((one) => followed.includes(one))
  // What an address that is followed moved is read with it.
  const each = new Set([...own.slice(0, reading.transfers), ...own.filter(isFollowed)])
  const left = own.filter((one) => !each.has(one))
  return {
    transfers: [...each, ...transfers.filter((one) => !isOwn(one) && isFollowed(one))],
    bundles: bundled(left),
    followed,
    cut: hubs.map((address) => ({ address, reason: 'hub', hops: 1 })),
    truncated: truncated || own.length > reading.transfers,
    ownIds: new Set([...each].map(({ id }) => id)),
  }
}

/** How many the address exchanged at least dust with, in any asset. */
function payersOf(view: View, address: string): number {
  const worth = new Map<string, bigint>()
  for (const one of view.transfers) {
    if (one.from !== address && one.to !== address) continue
    const other = one.from === address ? one.to : one.from
    worth.set(other, (worth.get(other) ?? 0n) + worthOf(view, one))
  }
  return [...worth.values()].filter((sum) => sum >= 1_000_000n).length
}

function bundled(transfers: readonly Transfer[]): readonly Transfer[] {
  const groups = new Map<string, Transfer[]>()
  for (const one of transfers) {
    const day = Math.floor((one.occurredAtS ?? 0) / DAY_S)
    const key = [one.from, one.to, one.contract, one.kind, one.proven, day].join(' ')
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()].map((group): Transfer => {
    const times = group.map(({ occurredAtS }) => occurredAtS!)
    return {
      ...group[0]!,
      ...{ txHash: '', index: null, position: null },
      amount: group.reduce((sum, { amount }) => sum + amount, 0n),
      blockNumber: Math.max(...group.map(({ blockNumber }) => blockNumber!)),
      occurredAtS: Math.max(...times),
      bundle: { transfers: group.length, firstAtS: Math.min(...times) },
    }
  })
}
