/** Transactions of chains of Bitcoin's family: what inputs spend and outputs pay. */
import type { ChainCode } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits } from '../answer-fields.js'
import { confirmedHeight } from '../histories/confirmed-head.js'
import type { HistoryPage } from '../histories/history-source.js'
import { ProviderError } from '../provider-error.js'
import type { StatedMovement, TransactionWord } from './transaction-source.js'

const part = z.object({ addresses: z.array(z.string()), value: baseUnits })
const line = z.object({ block_number: z.int(), inputs: z.array(part), outputs: z.array(part) })

/** The line of the one transaction, as a history has it; without one its parts are not certain. */
export function wordOfTransaction(
  told: HistoryPage['lines'],
  {
    stated,
    chain,
    newest,
  }: { readonly stated: StatedMovement; readonly chain: ChainCode; readonly newest: number },
): TransactionWord {
  const read = line.safeParse(told[0])
  if (!read.success || told.length !== 1)
    throw new ProviderError('malformed', 'a transaction whose parts are not certain')
  const { block_number: height, inputs, outputs } = read.data
  if (height > confirmedHeight(chain, newest)) return 'unconfirmed'
  const { from, to, amount } = stated
  const isPaidBy = inputs.some(({ addresses }) => isOf(addresses, from))
  const paid = outputs
    .filter(({ addresses }) => isOf(addresses, to))
    .reduce((sum, { value }) => sum + BigInt(value), 0n)
  // An output to whoever pays is change.
  if (!isPaidBy || from === to || paid !== amount) return 'contradicted'
  return inputs.every(({ addresses }) => isOf(addresses, from)) ? 'seen' : 'other_senders'
}

const isOf = (addresses: readonly string[], owner: string): boolean =>
  addresses.length === 1 && addresses[0] === owner

/** A host refuses the hash of a transaction that it does not have, with a status of the caller's fault. */
export async function foundOrNull(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'refused') return null
    throw error
  }
}

/** A transaction that neither spends from the receiver nor pays it has no such transfer. */
export function wordOrContradiction(read: () => TransactionWord): TransactionWord {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'wrong_address') return 'contradicted'
    throw error
  }
}
