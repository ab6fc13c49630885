/** A thread of `cupel audit recompute`: it decides one partition after another. */
import { parentPort, workerData } from 'node:worker_threads'
import {
  createRangeDecider,
  type RangeQuestion,
  type RangeTally,
  type ReportRange,
} from '../../proofs/index.js'
import { serveOrders, type ThreadData } from './serve-orders.js'

const data = workerData as ThreadData & { readonly question: RangeQuestion }

await serveOrders<ReportRange, RangeTally>(parentPort!, data, (source) => {
  const decider = createRangeDecider(source, data.question)
  return Promise.resolve((range, onRecords) => decider.decide(range, onRecords))
})
