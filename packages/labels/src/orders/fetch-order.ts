/** Fetches the file of an order from the address at which its authority publishes it, where nobody sends the file. */
import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Database } from '@cupel/postgres'
import { fetchList, noValidators } from '../refresh/fetch-list.js'
import { readRefreshPlan, type RefreshedList } from '../refresh/refresh-plan.js'
import { MAX_LIST_BYTES, MAX_PART_BYTES, type FetchedList, type ListOrder } from './list-order.js'

/** The plan that says where each list is published. */
const plans: Readonly<Record<FetchedList, string>> = { ofac: '../../../../data/refresh-ofac.json' }

/** Throws RefreshPlanError. */
export const publishedList = (name: FetchedList): RefreshedList =>
  readRefreshPlan(fileURLToPath(new URL(plans[name], import.meta.url)))[0]!

interface FetchedParts {
  readonly order: ListOrder
  /** Who holds the lease of the order. */
  readonly owner: string
  readonly list: RefreshedList
  readonly folder: string
  readonly signal: AbortSignal
}

/** Stores the file as the parts of the order. Resolves to the time of the request, or to the fault as a sentence. */
export async function fetchParts(
  database: Database,
  { order, owner, list, folder, signal }: FetchedParts,
): Promise<{ readonly at: string } | { readonly fault: string }> {
  // The time before the request: a list served later may already be another one.
  const at = new Date().toISOString()
  const fetched = await fetchList(list.place, {
    ...{ maxBytes: Math.min(list.maxBytes, MAX_LIST_BYTES), timeoutMs: list.timeoutMs, notBefore: undefined },
    ...{ validators: noValidators, folder, fileName: 'fetched', signal },
  })
  if (fetched.kind === 'failed') return { fault: fetched.detail }
  if (fetched.kind === 'unchanged') return { fault: 'The server answered "unchanged" to a first request.' }
  const request = JSON.stringify({ ...order.request, fetchedAt: at })
  return await database.transaction({ at: 'labels.order' }, async (transaction) => {
    const held = await transaction.execute(
      `UPDATE labels.list_order SET bytes = $3, request = $4 WHERE order_id = $1 AND leased_by = $2`,
      [order.orderId, owner, fetched.bytes, request],
    )
    if (held === 0) return { fault: 'Another process works on this order.' }
    await transaction.execute('DELETE FROM labels.list_order_part WHERE order_id = $1', [order.orderId])
    let part = 0
    for await (const content of createReadStream(fetched.file, { highWaterMark: MAX_PART_BYTES })) {
      await transaction.execute(
        'INSERT INTO labels.list_order_part (order_id, part, content) VALUES ($1, $2, $3)',
        [order.orderId, part, content],
      )
      part += 1
    }
    return { at }
  })
}
