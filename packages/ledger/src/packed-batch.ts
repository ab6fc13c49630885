/** A batch as a few large values: a thread would need longer to give away thousands of transfers than to read them. */
import type { Batch } from './batch.js'
import type { KeptTransfer } from './formats/ledger-row.js'

export interface PackedBatch extends Omit<Batch, 'transfers'> {
  /** The texts of all transfers, one behind another, each in a line. */
  readonly texts: string
  /** The numbers of all transfers, one behind another. */
  readonly numbers: Float64Array
}

const KINDS: readonly KeptTransfer['kind'][] = ['native', 'token', 'internal', 'utxo']
const EXECUTIONS: readonly KeptTransfer['execution'][] = ['proven', 'failed', 'unknown']

/** Id, both addresses, contract, hash, amount and both changes of balances; an empty text is a change that is not told. */
const TEXTS = 8
/** Kind and execution, then the numbers that may be null, which NaN stands for. */
const NUMBERS = 6

export function packed(batch: Batch): PackedBatch {
  const { transfers, ...rest } = dataOf(batch)
  const texts: string[] = []
  const numbers = new Float64Array(NUMBERS * transfers.size)
  let at = 0
  for (const [id, transfer] of transfers) {
    const { from, to, contract, txHash, amount, fromNet, toNet } = transfer
    texts.push(id, from, to, contract, txHash, amount.toString(), textOf(fromNet), textOf(toNet))
    numbers[at] = KINDS.indexOf(transfer.kind)
    numbers[at + 1] = EXECUTIONS.indexOf(transfer.execution)
    numbers[at + 2] = transfer.blockNumber ?? NaN
    numbers[at + 3] = transfer.occurredAtS ?? NaN
    numbers[at + 4] = transfer.txIndex ?? NaN
    numbers[at + 5] = transfer.place ?? NaN
    at += NUMBERS
  }
  return { ...rest, texts: texts.join('\n'), numbers }
}

const textOf = (value: bigint | undefined): string => (value === undefined ? '' : value.toString())

/** Throws if a text of a transfer has a line break, because the next ones would then be those of others. */
export function unpacked({ texts, numbers, ...rest }: PackedBatch): Batch {
  const transfers = new Map<string, KeptTransfer>()
  const count = numbers.length / NUMBERS
  const all = count === 0 ? [] : texts.split('\n')
  if (all.length !== TEXTS * count) throw new Error('A text of a transfer has a line break')
  for (let one = 0; one < count; one += 1) {
    const [text, at] = [TEXTS * one, NUMBERS * one]
    const [fromNet, toNet] = [all[text + 6]!, all[text + 7]!]
    transfers.set(all[text]!, {
      kind: KINDS[numbers[at]!]!,
      from: all[text + 1]!,
      to: all[text + 2]!,
      contract: all[text + 3]!,
      txHash: all[text + 4]!,
      amount: BigInt(all[text + 5]!),
      blockNumber: numberOf(numbers[at + 2]!),
      occurredAtS: numberOf(numbers[at + 3]!),
      txIndex: numberOf(numbers[at + 4]!),
      place: numberOf(numbers[at + 5]!),
      execution: EXECUTIONS[numbers[at + 1]!]!,
      ...(fromNet === '' ? {} : { fromNet: BigInt(fromNet) }),
      ...(toNet === '' ? {} : { toNet: BigInt(toNet) }),
    })
  }
  return { ...rest, transfers }
}

const numberOf = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** A batch without what only its reader needs: functions do not leave a thread. */
const dataOf = (batch: Batch): Batch => ({
  segmentId: batch.segmentId,
  hasCalls: batch.hasCalls,
  rows: batch.rows,
  transfers: batch.transfers,
  uncounted: batch.uncounted,
  tokens: batch.tokens,
  outcomes: batch.outcomes,
  joins: batch.joins,
  owners: batch.owners,
  blocks: batch.blocks,
  places: batch.places,
  leftOut: batch.leftOut,
  unreadable: batch.unreadable,
  repeated: batch.repeated,
  firstHeight: batch.firstHeight,
  lastHeight: batch.lastHeight,
  lastHeightAtS: batch.lastHeightAtS,
})
