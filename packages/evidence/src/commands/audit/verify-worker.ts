/** A thread of `cupel audit verify`: it verifies one partition after another, and compares records with leaves. */
import { parentPort, workerData } from 'node:worker_threads'
import { createPartitionVerifier } from '../../proofs/index.js'
import { parseVerifierKey } from '@cupel/signing'
import { createRunComparison } from '../../transparency/index.js'
import { serveOrders, type ThreadData } from './serve-orders.js'
import type { VerifyOrder, VerifyOrderResult } from './verify-threads.js'

const data = workerData as ThreadData & {
  readonly publicKeys: readonly string[] | null
  readonly beforeKeys: ReadonlyMap<string, number>
}

await serveOrders<VerifyOrder, VerifyOrderResult>(parentPort!, data, async ({ log, codec }) => {
  const publicKeys = data.publicKeys?.flatMap((key) => parseVerifierKey(key) ?? []) ?? null
  const verify = await createPartitionVerifier({ log, codec, publicKeys, beforeKeys: data.beforeKeys })
  const compare = await createRunComparison({ log, codec })
  return (order, onRecords) =>
    order.kind === 'partition' ? verify(order.piece, onRecords) : compare(order.run)
})
