/** What the history of an address says against itself, only by the rules: reasons, balances, and value without a counterparty. */
import {
  counts,
  followedAs,
  isOwnOf,
  isWrap,
  stepsOf,
  type ReferenceCase,
  type ReferenceTransfer,
} from './reference-case.js'
import { isCertain, timeline } from './reference-order.js'
import { partsThrough, sourceOf } from './reference-taint.js'

const EXECUTION = 'execution_unknown'
const ORDER = 'unknown_order'
const FUNDS = 'intermediary_shortfall'
/** Reasons that speak against an item, or against green, and leave all totals. */
export const ofItems = [EXECUTION, ORDER, FUNDS, 'illicit_token', 'designated_contract']

const isSureAt = ({ sources }: ReferenceCase, name: string): boolean =>
  (sources[name] ?? []).some(({ ppm }) => ppm >= 500_000)

/** Each movement of the address in its own asset; a wrap exchanges one for the other. */
function movesOf(
  given: ReferenceCase,
): readonly { readonly one: ReferenceTransfer; readonly asset: string }[] {
  return given.transfers
    .filter(
      (one) =>
        given.assets[one.asset] !== undefined &&
        one.amount > 0n &&
        one.from !== one.to &&
        given.ownIds.includes(one.id),
    )
    .flatMap((one) => [
      { one, asset: one.asset },
      ...(isWrap(one) ? [{ one: { ...one, from: one.to, to: one.from }, asset: 'weth' }] : []),
    ])
}

export function netsOf(given: ReferenceCase): ReadonlyMap<string, bigint> {
  const nets = new Map<string, bigint>()
  for (const { one, asset } of movesOf(given))
    nets.set(asset, (nets.get(asset) ?? 0n) + (one.to === given.screened ? one.amount : -one.amount))
  return nets
}

export function reasonsAgainst(given: ReferenceCase, own: readonly ReferenceTransfer[]): readonly string[] {
  // If no range of a kind is declared at all, that reason is given instead.
  const isOutside = own.some(
    ({ block, asset }) =>
      block === null &&
      !given.undeclared.includes('range_in_future') &&
      !(asset !== '' && given.undeclared.includes('no_tokens')),
  )
  const reasons = new Set(given.undeclared)
  if (isOutside) reasons.add('range_gap')
  // The sums of a truncated history need not match.
  if (!given.truncated && hasShortfall(given)) reasons.add('shortfall')
  if (uncountedOf(given).length > 0) reasons.add('uncounted_value')
  if (own.some(({ proven }) => !proven)) reasons.add(EXECUTION)
  if (
    given.unknownTokens.some(
      ({ counterparty, contract }) => isSureAt(given, counterparty) || isSureAt(given, contract),
    )
  )
    reasons.add('illicit_token')
  if (own.some(({ asset }) => asset !== '' && asset !== 'weth' && isSureAt(given, asset)))
    reasons.add('designated_contract')
  const mayHide = (asset: string): boolean =>
    mayHideOrder(given, asset, 'in') || mayHideOrder(given, asset, 'out')
  if (followedAssets(given).some(mayHide)) reasons.add(ORDER)
  if (reasons.size === 0 && !given.truncated && mayHideFunds(given)) reasons.add(FUNDS)
  return [...reasons].sort()
}

/** Own transfers that change a balance and have no counterparty: made, destroyed, or of an unknown side. */
export const uncountedOf = (given: ReferenceCase): readonly ReferenceTransfer[] =>
  [...given.transfers, ...given.bundles].filter(
    (one) =>
      isOwnOf(given, one) &&
      one.amount > 0n &&
      one.from !== one.to &&
      given.assets[one.asset] !== undefined &&
      !isWrap(one) &&
      !counts(given, one),
  )

const followedAssets = ({ assets }: ReferenceCase): readonly string[] =>
  Object.keys(assets).filter((asset) => assets[asset]!.wraps === undefined)

/** A path leads through an address with an uncertain order, and value of an illicit source came to that address. */
function mayHideOrder(given: ReferenceCase, asset: string, direction: 'in' | 'out'): boolean {
  const steps = stepsOf(given, asset, direction)
  const into = (at: string): readonly string[] => [
    ...new Set(steps.filter(({ to, from }) => to === at && from !== given.screened).map(({ from }) => from)),
  ]
  const isTainted = (at: string, depth: number): boolean =>
    steps.some(
      (one) =>
        one.to === at &&
        one.from !== given.screened &&
        ((given.sources[sourceOf(given, one.from, one)] ?? []).length > 0 ||
          (depth > 1 &&
            given.followed.includes(one.from) &&
            partsThrough({ ...given, transfers: steps }, direction, one, depth - 1).length > 0)),
    )
  const hides = (at: string, depth: number): boolean =>
    given.followed.includes(at) &&
    ((isTainted(at, depth) && !isCertain(steps.filter(({ from, to }) => from === at || to === at))) ||
      (depth > 1 && into(at).some((from) => hides(from, depth - 1))))
  const own = steps.filter(({ to, id }) => to === given.screened && given.ownIds.includes(id))
  return given.hops > 1 && own.some(({ from }) => hides(from, given.hops - 1))
}

/** At some point of its timeline the screened address had sent more than it had received. Burnt value counts as held. */
function hasShortfall(given: ReferenceCase): boolean {
  return Object.keys(given.assets).some((asset) => {
    const own = movesOf(given)
      .filter((move) => move.asset === asset)
      .map(({ one }) => one)
    let balance = 0n
    return timeline(own, given.screened).some((one) => {
      balance += one.to === given.screened ? one.amount : -one.amount
      return balance < 0n
    })
  })
}

/** Value came over an address that sent more than it had received. */
function mayHideFunds(given: ReferenceCase): boolean {
  return followedAssets(given).some((asset) => {
    const moved = given.transfers.filter(
      (one) => followedAs(given, one) === asset && one.amount > 0n && one.from !== one.to && !isWrap(one),
    )
    const lacks = (at: string): boolean => {
      let balance = 0n
      const touching = moved.filter(({ from, to }) => from === at || to === at)
      return timeline(touching, at).some((one) => {
        balance += one.to === at ? one.amount : -one.amount
        return balance < 0n
      })
    }
    const hides = (at: string, depth: number): boolean =>
      depth > 0 &&
      at !== given.screened &&
      given.followed.includes(at) &&
      (lacks(at) || moved.some(({ from, to }) => to === at && hides(from, depth - 1)))
    return moved.some(
      ({ id, from, to }) => to === given.screened && given.ownIds.includes(id) && hides(from, given.hops - 1),
    )
  })
}
