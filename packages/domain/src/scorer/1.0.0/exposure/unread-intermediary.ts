/**
 * Intermediaries whose own history is not whole. Declared ranges hold for every address of the chain; what a provider said of one address says
 * nothing of those that its value came through.
 */
import { dustOf } from '../tables/asset-dust.js'
import { findAsset, measuredAs } from '../tables/asset-table.js'
import { historyFaults, type AddressHistory, type DeclaredRange } from './history.js'
import { STEP_ITEMS, type Steps } from './steps.js'
import type { Transfer } from './transfer.js'

export interface Intermediaries {
  readonly chain: string
  /** The screened address. */
  readonly address: string
  readonly followed: readonly string[]
  /** Counted transfers of the address and of those that are followed. */
  readonly transfers: readonly Transfer[]
  /** The address's own. */
  readonly own: readonly Transfer[]
  readonly ranges: readonly DeclaredRange[]
  readonly histories: readonly AddressHistory[]
  readonly addressesOf: (node: string) => readonly string[]
  readonly age: { readonly generatedAtS: number; readonly maxAgeHours: number }
  /** A part of what came in, in parts per million, that is small enough to be left unread. */
  readonly ignoredSharePpm: number
}

const PPM_N = 1_000_000n

/**
 * The intermediaries whose history is not whole, where they do not matter; null if value went through one that does. Strangers can send dust through as many addresses as they like: what is
 * less than dust and a small part of what came in, of all such addresses together, needs no reading, because from illicit sources it
 * would be ignored as well.
 */
export function* negligibleUnread(of: Intermediaries): Steps<ReadonlySet<string> | null> {
  const { chain, address, followed, transfers, own, ranges, histories, addressesOf, age, ignoredSharePpm } = of
  const byNode = new Map<string, Transfer[]>(followed.map((one) => [one, []]))
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const one = transfers[index]!
    byNode.get(one.from)?.push(one)
    byNode.get(one.to)?.push(one)
  }
  const unread = new Set<string>()
  for (const [node, moved] of byNode) {
    yield
    const known = { chain, ranges, histories, addresses: addressesOf(node), own: moved }
    if (historyFaults(known, age).length > 0) unread.add(node)
  }
  const came = new Map<string, { unread: bigint; all: bigint }>()
  const reached = new Set<string>()
  for (const { from, to, contract, amount } of own) {
    const other = from === address ? to : from
    reached.add(other)
    if (from === address && unread.has(other)) return null
    if (to !== address) continue
    const asset = measuredAs(findAsset(chain, contract)!)
    const sums = came.get(asset.contract) ?? { unread: 0n, all: 0n }
    came.set(asset.contract, sums)
    sums.all += amount * asset.factor
    if (unread.has(other)) sums.unread += amount * asset.factor
  }
  if ([...unread].some((one) => !reached.has(one))) return null
  const isOfNote = [...came].some(
    ([contract, sums]) =>
      sums.unread > 0n &&
      (sums.unread >= dustOf(chain, contract) || sums.unread * PPM_N >= sums.all * BigInt(ignoredSharePpm)),
  )
  return isOfNote ? null : unread
}
