/** Transactions of chains of Bitcoin's family: what inputs spend and outputs pay. */
import type { ChainCode, Movement } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits } from '../answer-fields.js'
import { confirmedHeight } from '../histories/confirmed-head.js'
import type { ToldRow } from '../histories/newest-first.js'
import { ProviderError } from '../provider-error.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AskedMovements, ToldMovements, TransactionSource } from './transaction-source.js'

const part = z.object({ addresses: z.array(z.string()), value: baseUnits })
const line = z.object({ block_number: z.int(), inputs: z.array(part), outputs: z.array(part) })
type Part = z.output<typeof part>

/** How a host is asked. */
export interface AskingTransaction {
  readonly provider: string
  readonly chain: ChainCode
  /** Null if the host does not have it. Throws ProviderError for a host of another chain, or one that has fallen behind. */
  told(
    txHash: string,
    http: ProviderHttp,
  ): Promise<{ readonly answer: unknown; readonly newest: number } | null>
  /** Whether it has no block yet. */
  isWaiting(answer: unknown): boolean
  /** The line of the one transaction, as a history of the address has it; throws wrong_address for one of others. */
  rowOf(answer: unknown, address: string): ToldRow
}

interface Sides {
  readonly inputs: readonly Part[]
  readonly outputs: readonly Part[]
}

export function bitcoinTransactions(asking: AskingTransaction): TransactionSource {
  const { provider, chain } = asking

  /** Null for a transaction that neither spends from the address nor pays it. */
  async function sidesOf(
    txHash: string,
    address: string,
    http: ProviderHttp,
  ): Promise<Sides | 'not_found' | 'unconfirmed' | null> {
    const told = await asking.told(txHash, http)
    if (told === null) return 'not_found'
    if (asking.isWaiting(told.answer)) return 'unconfirmed'
    const row = ofOthersOrNull(() => asking.rowOf(told.answer, address))
    if (row === null) return null
    if (row.id !== txHash) throw new ProviderError('malformed', 'another transaction')
    const read = line.safeParse(row.lines[0])
    if (!read.success || row.lines.length !== 1)
      throw new ProviderError('malformed', 'a transaction whose parts are not certain')
    return read.data.block_number > confirmedHeight(chain, told.newest) ? 'unconfirmed' : read.data
  }

  return {
    provider,
    chain,
    async confirm({ txHash, from, to, amount }, http) {
      const told = await sidesOf(txHash, to, http)
      if (typeof told === 'string') return told
      if (told === null) return 'contradicted'
      const { inputs, outputs } = told
      const paid = outputs
        .filter((one) => ownerOf(one) === to)
        .reduce((sum, { value }) => sum + BigInt(value), 0n)
      // An output to whoever pays is change.
      if (!inputs.some((one) => ownerOf(one) === from) || from === to || paid !== amount)
        return 'contradicted'
      return inputs.every((one) => ownerOf(one) === from) ? 'seen' : 'other_senders'
    },
    async tell(asked, http) {
      const told = await sidesOf(asked.txHash, asked.own, http)
      if (typeof told === 'string') return { word: told }
      return told === null ? { word: 'seen', movements: [] } : movementsOfSides(told, asked)
    },
  }
}

/** Inputs do not say which of several senders paid: each of them can be meant. */
function movementsOfSides({ inputs, outputs }: Sides, { own, direction }: AskedMovements): ToldMovements {
  const senders = new Set(inputs.map(ownerOf))
  const word = senders.size > 1 ? 'other_senders' : 'seen'
  const movement = (counterparty: string, value: string): Movement => ({
    ...{ counterparty, contract: '', amount: BigInt(value) },
  })
  if (direction === 'outgoing') {
    const paid = senders.has(own)
      ? outputs.filter((one) => ownerOf(one) !== own && BigInt(one.value) > 0n)
      : []
    return { word, movements: paid.map((one) => movement(ownerOf(one), one.value)) }
  }
  const others = [...senders].filter((one) => one !== own)
  const received = outputs.filter((one) => ownerOf(one) === own)
  return { word, movements: others.flatMap((one) => received.map(({ value }) => movement(one, value))) }
}

/** Empty for a script without one address. */
const ownerOf = ({ addresses }: Part): string => (addresses.length === 1 ? addresses[0]! : '')

/** A host refuses the hash of a transaction that it does not have, with a status of the caller's fault. */
export async function foundOrNull(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'refused') return null
    throw error
  }
}

function ofOthersOrNull(read: () => ToldRow): ToldRow | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'wrong_address') return null
    throw error
  }
}
