/** A transaction as a row of bitcoin-etl: every input with what it spends, every output, and what goes into and comes out of shielded pools. */
import { addressesOfScript } from '@cupel/ledger'
import { bareHash, fieldsOf, listOf, textOf, wholeOf, type Fields } from '../answer-values.js'
import { FollowError } from '../follow-error.js'

export interface Output {
  readonly addresses: readonly string[]
  /** Base units. */
  readonly value: bigint
}

const DECIMALS = 8
const COINS = new RegExp(`^(\\d{1,12})(?:\\.(\\d{1,${DECIMALS}}))?$`)

/** Base units of an amount in whole coins. */
function unitsOfCoins(told: unknown, place: string): bigint {
  const match = COINS.exec(typeof told === 'string' ? told : '')
  if (match === null) throw new FollowError('unknown_meaning', `the value of ${place} is not an amount`)
  return BigInt(match[1]! + (match[2] ?? '').padEnd(DECIMALS, '0'))
}

/** Litecoin's extension blocks: all that they hold, and what is on its way there. Nodes write these scripts as addresses, which nobody can be paid at. */
const EXTENSION = /^5[89]20[0-9a-f]{64}$/

/** The owner as the node tells it; else the addresses of the keys in the script. */
export function outputOf(told: unknown, chain: string): Output {
  const { value, scriptPubKey } = fieldsOf(told, 'an output')
  const { address, addresses, hex } = fieldsOf(scriptPubKey, 'the script of an output')
  const toldAddresses =
    typeof address === 'string' ? [address] : Array.isArray(addresses) ? addresses.map(String) : []
  const script = textOf(hex, 'the script of an output')
  if (chain === 'LTC' && EXTENSION.test(script))
    return { addresses: [], value: unitsOfCoins(value, 'an output') }
  return {
    addresses: toldAddresses.length > 0 ? toldAddresses : addressesOfScript(chain, script),
    value: unitsOfCoins(value, 'an output'),
  }
}

interface Place {
  readonly chain: string
  readonly height: number
  readonly atS: number
  readonly index: number
  readonly id: string
  readonly spent: (id: string, index: number) => Output | undefined
}

export function rowOf(transaction: Fields, { chain, height, atS, index, id, spent }: Place): string {
  const place = `transaction ${index} of block ${height}`
  const toldInputs = listOf(transaction['vin'], `the inputs of ${place}`).map((one) => fieldsOf(one, place))
  const isCoinbase = toldInputs.some(({ coinbase }) => coinbase !== undefined)
  if (isCoinbase !== (index === 0))
    throw new FollowError('node_contradicts', `${place} is${isCoinbase ? '' : ' not'} a coinbase`)
  const outputs = listOf(transaction['vout'], `the outputs of ${place}`).map((one) => outputOf(one, chain))
  const inputs = isCoinbase ? [] : toldInputs.map((one) => inputOf(one, { chain, place, spent }))
  const shielded = shieldedOf(transaction, place)
  const row = { inputs: [...inputs, ...shielded.inputs], outputs: [...outputs, ...shielded.outputs] }
  const [inputValue, outputValue] = [sumOf(row.inputs), sumOf(row.outputs)]
  if (!isCoinbase && inputValue < outputValue)
    throw new FollowError('node_contradicts', `${place} pays ${outputValue} and spends ${inputValue}`)
  return (
    `{"hash":"${id}","block_number":${height},"block_timestamp":${atS},"index":${index},"is_coinbase":${isCoinbase},` +
    `"input_count":${row.inputs.length},"output_count":${row.outputs.length},"input_value":${inputValue},"output_value":${outputValue},` +
    `"inputs":[${row.inputs.map(partOf).join()}],"outputs":[${row.outputs.map(partOf).join()}]}\n`
  )
}

function inputOf(
  input: Fields,
  { chain, place, spent }: Pick<Place, 'chain' | 'spent'> & { readonly place: string },
): Output {
  if (input['prevout'] !== undefined) return outputOf(input['prevout'], chain)
  const [id, index] = [
    bareHash(input['txid'], `an input of ${place}`),
    wholeOf(input['vout'], `an input of ${place}`),
  ]
  const output = spent(id, index)
  if (output === undefined)
    throw new FollowError(
      'node_contradicts',
      `${place} spends output ${index} of ${id}, which the node does not tell`,
    )
  return output
}

const sumOf = (parts: readonly Output[]): bigint => parts.reduce((sum, { value }) => sum + value, 0n)

const partOf = ({ addresses, value }: Output): string =>
  `{"addresses":${JSON.stringify(addresses)},"value":${value}}`

/** Value that a transaction takes out of a shielded pool is an input without an address, and what it puts there is an output. */
function shieldedOf(
  transaction: Fields,
  place: string,
): { readonly inputs: readonly Output[]; readonly outputs: readonly Output[] } {
  const inputs: Output[] = []
  const outputs: Output[] = []
  const take = (side: Output[], value: bigint): void => {
    if (value > 0n) side.push({ addresses: [], value })
  }
  for (const one of listOf(transaction['vjoinsplit'] ?? [], `the joins of ${place}`)) {
    const join = fieldsOf(one, `a join of ${place}`)
    take(outputs, unitsOfCoins(join['vpub_old'], `a join of ${place}`))
    take(inputs, unitsOfCoins(join['vpub_new'], `a join of ${place}`))
  }
  const orchard =
    transaction['orchard'] === undefined ? {} : fieldsOf(transaction['orchard'], `the actions of ${place}`)
  for (const { valueBalance, valueBalanceZat: balance } of [transaction, orchard]) {
    if (balance === undefined || balance === null) {
      // Older nodes tell it as a float.
      if (valueBalance === undefined || Number(valueBalance) === 0) continue
    }
    if (!Number.isSafeInteger(balance))
      throw new FollowError('unknown_meaning', `the shielded balance of ${place} is not a whole number`)
    const value = BigInt(balance as number)
    if (value > 0n) take(inputs, value)
    else take(outputs, -value)
  }
  return { inputs, outputs }
}
