/** The work of `cupel audit verify` that threads share: partitions of the log, and runs of records to compare with their leaves. */
import type {
  PartitionPiece,
  SignatureParts,
  VerifiedPartition,
  VerifyPartition,
} from '../../proofs/index.js'
import { verifierKey } from '@cupel/signing'
import type { ComparedRun, CompareRun, LeafRun } from '../../transparency/index.js'
import type { CliContext } from '@cupel/command-line'
import { startOrderThreads, type OrderThread } from './order-threads.js'
import type { ThreadSource } from './recompute-messages.js'

export type VerifyOrder =
  | { readonly kind: 'partition'; readonly piece: PartitionPiece }
  | { readonly kind: 'run'; readonly run: LeafRun }
export type VerifyOrderResult = VerifiedPartition | ComparedRun

/** Undefined members: this thread does the work alone. */
export interface VerifyThreads {
  readonly verifiers?: readonly VerifyPartition[]
  readonly compareRun?: CompareRun
  /** Ends the threads. */
  close(): Promise<void>
}

export function startVerifyThreads(
  context: CliContext,
  {
    source,
    publicKeys,
    beforeKeys,
  }: { readonly source: ThreadSource } & Pick<SignatureParts, 'publicKeys'> &
    Required<Pick<SignatureParts, 'beforeKeys'>>,
  { records, threads: asked }: { readonly records: number; readonly threads: number | undefined },
): VerifyThreads {
  const data = {
    ...{ environment: { ...context.environment }, source, beforeKeys },
    publicKeys: publicKeys?.map(verifierKey) ?? null,
  }
  const threads = startOrderThreads<VerifyOrder, VerifyOrderResult>('verify-worker', data, { asked, records })
  if (threads.length === 0) return { close: () => Promise.resolve() }
  const run = sharedBy(threads)
  const verify: VerifyPartition = async (piece, onRecords) =>
    (await run({ kind: 'partition', piece }, onRecords)) as VerifiedPartition
  return {
    verifiers: threads.map(() => verify),
    compareRun: async (leaves) => (await run({ kind: 'run', run: leaves })) as ComparedRun,
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

/** An order waits until a thread is free. */
function sharedBy<Order, Result>(
  threads: readonly OrderThread<Order, Result>[],
): OrderThread<Order, Result>['run'] {
  const free = [...threads]
  const waiting: ((thread: OrderThread<Order, Result>) => void)[] = []
  return async (order, onRecords) => {
    const thread = free.pop() ?? (await new Promise<OrderThread<Order, Result>>((take) => waiting.push(take)))
    try {
      return await thread.run(order, onRecords)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free.push(thread)
      else next(thread)
    }
  }
}
