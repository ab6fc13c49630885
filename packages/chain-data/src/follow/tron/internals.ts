/** Internal transactions: calls of contracts that move coins or assets, and what a contract does with its stake. */
import { fieldsOf, listOf, textOf, unitsOf, type Fields } from '../answer-values.js'
import { FollowError } from '../follow-error.js'
import type { Rows } from '../transfer-rows.js'
import { numbered, tronAddress } from './tron-values.js'

const MOVES: ReadonlySet<string> = new Set(['call', 'create', 'suicide'])
/** A reward has no payer. */
const REWARD = 'withdrawReward'
/** What stays the contract's own. */
const STAKES =
  /^(?:freeze|unfreeze|voteWitness|withdrawExpireUnfreeze|cancelAllUnfreezeV2|(?:freeze|unfreeze)BalanceV2For[A-Z]\w*|(?:delegate|unDelegate)ResourceOf[A-Z]\w*)$/

export function writeInternal(
  call: Fields,
  {
    place,
    number,
    hasFailed,
    write,
  }: { readonly place: string; readonly number: number; readonly hasFailed: boolean; readonly write: Rows },
): void {
  const note = Buffer.from(textOf(call['note'] ?? '', `the note of ${place}`), 'hex').toString('latin1')
  const { rejected } = call
  if (rejected !== undefined && typeof rejected !== 'boolean')
    throw new FollowError('unknown_meaning', `whether ${place} was rejected is not known`)
  const status = hasFailed || rejected === true ? '0' : '1'
  for (const one of listOf(call['callValueInfo'] ?? [], `the values of ${place}`)) {
    const { callValue, tokenId } = fieldsOf(one, `a value of ${place}`)
    const value = unitsOf(callValue ?? 0, `a value of ${place}`)
    if (value === 0n || STAKES.test(note)) continue
    const from = tronAddress(call['caller_address'], `the sender of ${place}`)
    if (note === REWARD) {
      if (status === '1') write.issued(from, value)
      continue
    }
    if (!MOVES.has(note)) throw new FollowError('unknown_meaning', `what ${place} does is not known`)
    const movement = { from, to: tronAddress(call['transferTo_address'], `the receiver of ${place}`), value }
    if (tokenId === undefined || tokenId === '') write.moved('internal', movement, status, String(number))
    else if (status === '1') write.trc10(movement, assetNumber(tokenId, place))
  }
}

/** Here an asset is a text of digits, and a number in transactions. */
export function assetNumber(told: unknown, place: string): string {
  const number = String(told as string)
  if (!/^\d{1,19}$/.test(number))
    throw new FollowError('unknown_meaning', `the asset of ${place} is not known`)
  return numbered(number)
}
