/** What a transaction moves between two addresses, and the part of it that is a transfer of one of them. */
import type { Movement } from '@cupel/domain'
import type { AskedMovements, StatedMovement } from './transaction-source.js'

export interface Moved {
  /** Canonical; empty for value that was made or destroyed, as in a creation. */
  readonly from: string
  readonly to: string
  /** Canonical contract of a token; empty for the native asset. */
  readonly contract: string
  /** Base units. */
  readonly amount: bigint
}

/** Nobody pays itself. */
export function movementsOf(
  moved: readonly Moved[],
  { own, direction, contract }: AskedMovements,
): readonly Movement[] {
  return moved
    .filter((one) => contract === null || one.contract === contract)
    .filter(
      ({ from, to, amount }) => from !== to && amount > 0n && (direction === 'incoming' ? to : from) === own,
    )
    .map(({ from, to, contract: of, amount }) => ({
      ...{ counterparty: direction === 'incoming' ? from : to, contract: of, amount },
    }))
}

/** What the receiver got from the sender, added up. */
export const movedBetween = (
  moved: readonly Moved[],
  { from, to, contract }: Pick<StatedMovement, 'from' | 'to' | 'contract'>,
): bigint =>
  moved
    .filter((one) => one.from === from && one.to === to && one.contract === contract)
    .reduce((sum, { amount }) => sum + amount, 0n)
