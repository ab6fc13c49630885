/** Looks at the files of orders and imports those that were confirmed, one at a time and under a lease. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLoop } from '@cupel/kit/concurrency'
import type { Database } from '@cupel/postgres'
import type { RefreshedList } from '../refresh/refresh-plan.js'
import { importLabels } from '../import/import-labels.js'
import type { LabelImportDeps } from '../import/import-request.js'
import { fetchParts, publishedList } from './fetch-order.js'
import {
  findListOrder,
  type FetchedList,
  type ListOrder,
  type OrderResult,
  type OrderStatus,
} from './list-order.js'

/** Interval between two looks for orders. */
const POLL_MS = 2_000
/** Longer than a short interruption of the database; renewed during the work. */
const LEASE_MS = 60_000
const RENEW_MS = LEASE_MS / 4

export interface OrderDeps extends LabelImportDeps {
  /** Where the lists are published that an order may name; the addresses of their authorities by default. */
  readonly publishedAt?: (name: FetchedList) => RefreshedList
  /** Ends a download. */
  readonly signal?: AbortSignal
}

export interface RunningOrders {
  /** Resolves when the work in progress has ended. */
  stop(): Promise<void>
}

/** Runs until it is stopped. An order whose process dies is taken up again when its lease has ended. */
export function startListOrders(deps: OrderDeps & { readonly pollMs?: number }): RunningOrders {
  return startLoop({
    restMs: deps.pollMs ?? POLL_MS,
    async step(signal) {
      while (!signal.aborted && (await runNextOrder({ ...deps, signal })) !== null);
    },
    onError: (error) =>
      deps.logger.warn({ err: error }, 'Cannot read or write the orders of lists; retrying'),
  })
}

/** Works on the oldest order that waits, and resolves to it as it is then; null if none waits. */
export async function runNextOrder(deps: OrderDeps): Promise<ListOrder | null> {
  const { database, logger } = deps
  const owner = randomUUID()
  const order = await claim(database, owner)
  if (order === null) return null
  const renewing = setInterval(() => {
    database.execute(RENEW, [order.orderId, owner, LEASE_MS]).catch((error: unknown) => {
      logger.warn({ err: error, order: order.orderId }, 'Cannot renew the lease of an order')
    })
  }, RENEW_MS)
  try {
    const result = await resultOf(order, owner, deps)
    logger.info({ order: order.orderId, status: result.status }, 'A list that was sent was read')
    await settle(database, order, owner, result)
  } finally {
    clearInterval(renewing)
  }
  return await findListOrder(database, order.orderId)
}

const RENEW = `UPDATE labels.list_order SET leased_until = now() + $3 * interval '1 ms' WHERE order_id = $1 AND leased_by = $2`

// Runs every two seconds, mostly without an order.
const CLAIM = {
  name: 'labels.claim-order',
  text: `UPDATE labels.list_order SET leased_by = $1, leased_until = now() + $2 * interval '1 ms'
         WHERE order_id = (
           SELECT order_id FROM labels.list_order
           WHERE status IN ('checking', 'importing') AND (leased_until IS NULL OR leased_until < now())
           ORDER BY changed_at, order_id LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING order_id AS "orderId"`,
}

async function claim(database: Database, owner: string): Promise<ListOrder | null> {
  const [row] = await database.query<{ orderId: string }>(CLAIM, [owner, LEASE_MS])
  return row === undefined ? null : await findListOrder(database, row.orderId)
}

/** Never rejects: a fault of the log or the database is a result too, and the order can be given again. */
async function resultOf(order: ListOrder, owner: string, deps: OrderDeps): Promise<OrderResult> {
  const folder = await mkdtemp(join(tmpdir(), 'cupel-list-order-'))
  try {
    const { fetched = null, fault = null } = await fetchedOf(order, { owner, folder, deps })
    if (fault !== null) return { status: 'failed', message: fault }
    const file = join(folder, 'list')
    await writeParts(deps.database, order, file)
    const { acceptRemovals, acceptUnreadable, reason, confirmedBy, orderedBy, request } = order
    return await importLabels(
      {
        ...{ ...request, file, dryRun: order.status === 'checking', importedBy: confirmedBy ?? orderedBy },
        ...(fetched === null ? {} : { confirmed: fetched }),
        ...(acceptRemovals === null ? {} : { acceptRemovals }),
        ...(acceptUnreadable === null ? {} : { acceptUnreadable }),
        ...(reason === null ? {} : { reason }),
      },
      deps,
    )
  } catch (error) {
    deps.logger.warn({ err: error, order: order.orderId }, 'A list that was sent could not be read')
    return { status: 'failed', message: 'The log or the database did not answer. Order it again.' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A list that is fetched is fetched for each look; what is imported is what the last look showed. */
async function fetchedOf(
  order: ListOrder,
  { owner, folder, deps }: { readonly owner: string; readonly folder: string; readonly deps: OrderDeps },
): Promise<{
  readonly fetched?: { readonly at: string; readonly authorities: readonly string[] }
  readonly fault?: string
}> {
  const { fetch: name, fetchedAt } = order.request
  if (name === undefined) return {}
  const list = (deps.publishedAt ?? publishedList)(name)
  const { authorities } = list
  if (order.status === 'importing' && fetchedAt !== undefined)
    return { fetched: { at: fetchedAt, authorities } }
  const { signal = new AbortController().signal } = deps
  const found = await fetchParts(deps.database, { order, owner, list, folder, signal })
  return 'fault' in found ? found : { fetched: { at: found.at, authorities } }
}

/** One part is in memory at a time. */
async function writeParts(database: Database, { orderId }: ListOrder, file: string): Promise<void> {
  const out = await open(file, 'wx', 0o600)
  try {
    for (let part = 0; ; part += 1) {
      const [row] = await database.query<{ content: Buffer }>(
        'SELECT content FROM labels.list_order_part WHERE order_id = $1 AND part = $2',
        [orderId, part],
      )
      if (row === undefined) return
      await out.writeFile(row.content)
    }
  } finally {
    await out.close()
  }
}

const statusOf: Readonly<Record<OrderResult['status'], OrderStatus>> = {
  'dry-run': 'checked',
  imported: 'imported',
  refused: 'refused',
  failed: 'failed',
}

/** The file is deleted with its import. The path of the file is of no use to anybody. */
async function settle(
  database: Database,
  order: ListOrder,
  owner: string,
  result: OrderResult,
): Promise<void> {
  await database.transaction({ at: 'labels.order' }, async (transaction) => {
    const settled = await transaction.execute(
      `UPDATE labels.list_order SET status = $3, result = $4, changed_at = now(), leased_by = NULL, leased_until = NULL
       WHERE order_id = $1 AND leased_by = $2`,
      [order.orderId, owner, statusOf[result.status], JSON.stringify({ ...result, file: order.request.set })],
    )
    if (settled > 0 && result.status === 'imported')
      await transaction.execute('DELETE FROM labels.list_order_part WHERE order_id = $1', [order.orderId])
  })
}
