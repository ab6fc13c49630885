/** What the contract of a transaction moves (protocol buffers of java-tron). */
import { stillTronContracts } from '../../index.js'
import { fieldsOf, unitsOf, wholeOf, type Fields } from '../answer-values.js'
import { FollowError } from '../follow-error.js'
import type { Rows, Status } from '../transfer-rows.js'
import { assetNumber } from './internals.js'
import { assetOf, tronAddress, type TronTransaction } from './tron-values.js'

/** The two assets that an exchange trades, by its number; null is the coin. It never changes. */
export type TradedPair = (exchange: number) => Promise<readonly [string | null, string | null]>

interface Ground {
  readonly place: string
  readonly status: Status
  /** What the node kept of its execution. */
  readonly info: Fields
  readonly write: Rows
  readonly pairOf: TradedPair
}

type Write = (value: Fields, ground: Ground) => void | Promise<void>

export async function writeContract({ type, value }: TronTransaction, ground: Ground): Promise<void> {
  const write = writers[type]
  if (write !== undefined) return write(value, ground)
  if (!stillTronContracts.has(type))
    throw new FollowError('unknown_meaning', `the type ${type.slice(0, 64)} of ${ground.place} is not known`)
}

const ownerOf = ({ owner_address: owner }: Fields, { place }: Ground): string =>
  tronAddress(owner, `the sender of ${place}`)

/** A member that is 0 is left out. */
const amountOf = (told: unknown, { place }: Ground): bigint => unitsOf(told ?? 0, `an amount of ${place}`)

const pay: Write = (value, ground) => {
  const { place, status, write } = ground
  const to = tronAddress(value['to_address'], `the receiver of ${place}`)
  write.moved(
    'native',
    { from: ownerOf(value, ground), to, value: amountOf(value['amount'], ground) },
    status,
  )
}

function callWith(value: Fields, to: string, asset: Fields, ground: Ground): void {
  const { place, status, write } = ground
  const from = ownerOf(value, ground)
  const coins = amountOf(asset['call_value'], ground)
  if (coins > 0n) write.moved('native', { from, to, value: coins }, status)
  const tokens = amountOf(value['call_token_value'], ground)
  if (tokens > 0n && status !== '0')
    write.trc10({ from, to, value: tokens }, assetNumber(value['token_id'], place))
}

/** An exchange of the chain has no address: what it gets and gives has one end. */
async function trade(
  value: Fields,
  ground: Ground,
  parts: readonly { readonly asset: 'told' | 'other'; readonly amount: unknown; readonly isPaid: boolean }[],
): Promise<void> {
  const { place, status, write, pairOf } = ground
  if (status === '0') return
  const owner = ownerOf(value, ground)
  const told = assetOf(value['token_id'], place)
  const pair = await pairOf(wholeOf(value['exchange_id'], `the exchange of ${place}`))
  const place_ = pair.indexOf(told)
  if (place_ < 0)
    throw new FollowError('node_contradicts', `the exchange of ${place} does not trade its asset`)
  const other = pair[1 - place_] ?? null
  for (const { asset, amount, isPaid } of parts) {
    // Only coins are counted.
    if ((asset === 'told' ? told : other) !== null) continue
    const [from, to] = isPaid ? [owner, ''] : ['', owner]
    write.pooled({ from, to, value: amountOf(amount, ground) })
  }
}

const writers: Readonly<Record<string, Write>> = {
  TransferContract: pay,
  ParticipateAssetIssueContract: pay,
  TransferAssetContract(value, ground) {
    const { place, status, write } = ground
    if (status === '0') return
    const to = tronAddress(value['to_address'], `the receiver of ${place}`)
    const asset = assetOf(value['asset_name'], place)
    if (asset === null) throw new FollowError('unknown_meaning', `the asset of ${place} is not known`)
    write.trc10({ from: ownerOf(value, ground), to, value: amountOf(value['amount'], ground) }, asset)
  },
  TriggerSmartContract(value, ground) {
    callWith(value, tronAddress(value['contract_address'], `the receiver of ${ground.place}`), value, ground)
  },
  CreateSmartContract(value, ground) {
    const { place, info } = ground
    const created = fieldsOf(value['new_contract'], `the contract of ${place}`)
    callWith(value, tronAddress(info['contract_address'], `the contract of ${place}`), created, ground)
  },
  WithdrawBalanceContract(value, ground) {
    const { place, status, info, write } = ground
    if (status === '0') return
    const reward = amountOf(info['withdraw_amount'], ground)
    if (reward === 0n)
      throw new FollowError('node_contradicts', `${place} takes a reward, and the node does not tell which`)
    write.issued(ownerOf(value, ground), reward)
  },
  async ExchangeCreateContract(value, ground) {
    if (ground.status === '0') return
    const owner = ownerOf(value, ground)
    for (const side of ['first', 'second'] as const)
      if (assetOf(value[`${side}_token_id`], ground.place) === null)
        ground.write.pooled({ from: owner, to: '', value: amountOf(value[`${side}_token_balance`], ground) })
  },
  ExchangeInjectContract: (value, ground) =>
    trade(value, ground, [
      { asset: 'told', amount: value['quant'], isPaid: true },
      { asset: 'other', amount: ground.info['exchange_inject_another_amount'], isPaid: true },
    ]),
  ExchangeWithdrawContract: (value, ground) =>
    trade(value, ground, [
      { asset: 'told', amount: value['quant'], isPaid: false },
      { asset: 'other', amount: ground.info['exchange_withdraw_another_amount'], isPaid: false },
    ]),
  ExchangeTransactionContract: (value, ground) =>
    trade(value, ground, [
      { asset: 'told', amount: value['quant'], isPaid: true },
      { asset: 'other', amount: ground.info['exchange_received_amount'], isPaid: false },
    ]),
}
