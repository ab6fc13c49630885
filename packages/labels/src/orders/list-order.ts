/**
 * An order to import a label file. Its parts are received, a look says what the import would change, and after a confirmation the file is
 * imported. Whoever receives it does not read it: the process that refreshes lists does (run-orders.ts).
 */
import { randomBytes } from 'node:crypto'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import type { LabelImportRequest, LabelImportResult } from '../import/import-request.js'

/** The lists that are fetched from their authorities where an order names one. */
export const fetchedLists = ['ofac'] as const
export type FetchedList = (typeof fetchedLists)[number]

/** How the file is read, as for an import by command. */
export type OrderedImport = Pick<
  LabelImportRequest,
  'format' | 'source' | 'asOf' | 'append' | 'whole' | 'replaces' | 'category' | 'chain'
> & {
  readonly set: string
  /** The list that is fetched from its authority, where nobody sends it. */
  readonly fetch?: FetchedList | undefined
  /** When the file was asked for, if it was fetched: UTC, RFC 3339. */
  readonly fetchedAt?: string
}

export const orderStatuses = [
  'receiving',
  'checking',
  'checked',
  'importing',
  'imported',
  'refused',
  'failed',
] as const
export type OrderStatus = (typeof orderStatuses)[number]

/** What a look found, or what an import did; `failed`: the log or the database did not answer, and it can be ordered again. */
export type OrderResult = LabelImportResult | { readonly status: 'failed'; readonly message: string }

export interface ListOrder {
  readonly orderId: string
  readonly orderedBy: string
  /** UTC, RFC 3339. */
  readonly orderedAt: string
  readonly request: OrderedImport
  readonly status: OrderStatus
  /** Of the parts that were received. */
  readonly bytes: number
  readonly confirmedBy: string | null
  readonly acceptRemovals: number | null
  readonly acceptUnreadable: number | null
  readonly reason: string | null
  /** Of the last look or import; null before. */
  readonly result: OrderResult | null
}

/** Why an order does not take the change: there is none with this id, its status is another, or it has no more room. */
export type OrderRefusal = 'unknown' | 'other-status' | 'too-many' | 'too-large' | 'other-part'

/** Bytes of one part. */
export const MAX_PART_BYTES = 524_288
/** Bytes of a whole file: the largest list of an authority has about 120 MB. */
export const MAX_LIST_BYTES = 268_435_456
/** Orders that are not decided at one time: each may hold a file. */
export const MAX_OPEN_ORDERS = 8
/** An order that nobody confirmed, and the file of one that was refused, is forgotten with the first order after this. */
const KEPT_OPEN = '1 day'
/** What came of an order is kept for this long. */
const KEPT_ENDED = '400 days'
const ID_BYTES = 10

/** A file that needs no look, because it is not the caller's own. */
export interface ConfirmedFile {
  readonly content: Buffer
  readonly acceptRemovals: number | null
  readonly reason: string | null
}

/** Begins an order, unless too many are open. One whose list is fetched is looked at as soon as it is there; a confirmed one is imported. */
export async function createListOrder(
  database: Database,
  {
    request,
    by,
    confirmed = null,
  }: { readonly request: OrderedImport; readonly by: string; readonly confirmed?: ConfirmedFile | null },
): Promise<ListOrder | OrderRefusal> {
  const orderId = `lio_${randomBytes(ID_BYTES).toString('hex')}`
  return await database.transaction({ at: 'labels.order' }, async (transaction) => {
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('cupel.list-orders', 0))`)
    await transaction.execute(FORGET)
    await transaction.execute(FORGET_FILES)
    const [open] = await transaction.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM labels.list_order WHERE status IN ('receiving', 'checking', 'checked', 'importing')`,
    )
    if (open!.count >= MAX_OPEN_ORDERS) return 'too-many'
    const status = confirmed !== null ? 'importing' : request.fetch === undefined ? 'receiving' : 'checking'
    await transaction.execute(
      `INSERT INTO labels.list_order (order_id, ordered_by, request, status) VALUES ($1, $2, $3, $4)`,
      [orderId, by, JSON.stringify(request), status],
    )
    if (confirmed !== null) await storeConfirmed(transaction, { orderId, by, ...confirmed })
    return (await findListOrder(transaction, orderId))!
  })
}

async function storeConfirmed(
  transaction: Queryable,
  of: ConfirmedFile & { readonly orderId: string; readonly by: string },
): Promise<void> {
  const { orderId, by, content, acceptRemovals, reason } = of
  await transaction.execute(
    'INSERT INTO labels.list_order_part (order_id, part, content) VALUES ($1, 0, $2)',
    [orderId, content],
  )
  await transaction.execute(
    `UPDATE labels.list_order SET bytes = $2, confirmed_by = $3, accept_removals = $4, reason = $5 WHERE order_id = $1`,
    [orderId, content.length, by, acceptRemovals, reason],
  )
}

const FORGET = `
  DELETE FROM labels.list_order
  WHERE ordered_at < now() - interval '${KEPT_ENDED}'
    OR (status IN ('receiving', 'checked') AND changed_at < now() - interval '${KEPT_OPEN}')`

/** A file that was refused may be looked at again for as long as one that waits. Beyond as many files as may be open the oldest go first. */
const FORGET_FILES = `
  DELETE FROM labels.list_order_part WHERE order_id IN (
    SELECT order_id FROM (
      SELECT order_id, changed_at, row_number() OVER (ORDER BY changed_at DESC) AS place
      FROM labels.list_order
      WHERE status IN ('refused', 'failed')
        AND EXISTS (SELECT FROM labels.list_order_part AS part WHERE part.order_id = list_order.order_id)) AS ended
    WHERE place > ${MAX_OPEN_ORDERS} OR changed_at < now() - interval '${KEPT_OPEN}')`

/** Adds the next part; the same part with the same bytes a second time changes nothing. Parts are numbered from 0. */
export async function addListPart(
  database: Database,
  { orderId, part, content }: { readonly orderId: string; readonly part: number; readonly content: Buffer },
): Promise<ListOrder | OrderRefusal> {
  return await database.transaction({ at: 'labels.order' }, async (transaction) => {
    const order = await lockListOrder(transaction, orderId)
    if (order === null) return 'unknown'
    if (order.status !== 'receiving') return 'other-status'
    const [known] = await transaction.query<{ parts: number; isSame: boolean | null }>(
      `SELECT count(*)::int AS parts, bool_or(part = $2 AND content = $3) AS "isSame"
       FROM labels.list_order_part WHERE order_id = $1`,
      [orderId, part, content],
    )
    if (known!.isSame === true) return order
    if (part !== known!.parts) return 'other-part'
    if (order.bytes + content.length > MAX_LIST_BYTES) return 'too-large'
    await transaction.execute(
      'INSERT INTO labels.list_order_part (order_id, part, content) VALUES ($1, $2, $3)',
      [orderId, part, content],
    )
    return await changed(transaction, orderId, 'bytes = bytes + $2', [content.length])
  })
}

/** Orders a look at the file, which is whole. It may be ordered again until the import is confirmed. */
export async function checkListOrder(database: Database, orderId: string): Promise<ListOrder | OrderRefusal> {
  return await database.transaction({ at: 'labels.order' }, (transaction) =>
    move(
      transaction,
      orderId,
      ({ status }) =>
        status === 'receiving' || status === 'checked' || status === 'failed' || status === 'refused',
      `status = 'checking', confirmed_by = NULL, accept_removals = NULL, accept_unreadable = NULL, reason = NULL, result = NULL`,
    ),
  )
}

export interface Confirmation {
  readonly orderId: string
  readonly by: string
  readonly acceptRemovals: number | null
  readonly acceptUnreadable: number | null
  readonly reason: string | null
}

/** Confirms the import of a file that was looked at: a look that failed has shown nothing. A large removal or unreadable rows need their exact numbers and a reason. */
export const confirmListOrder = (
  database: Database,
  order: Confirmation,
): Promise<ListOrder | OrderRefusal> =>
  database.transaction({ at: 'labels.order' }, (transaction) => confirmListOrderIn(transaction, order))

/** Confirms an import in a transaction that has begun. */
export async function confirmListOrderIn(
  transaction: Queryable,
  { orderId, by, acceptRemovals, acceptUnreadable, reason }: Confirmation,
): Promise<ListOrder | OrderRefusal> {
  return await move(
    transaction,
    orderId,
    ({ status, confirmedBy }) =>
      status === 'checked' || status === 'refused' || (status === 'failed' && confirmedBy !== null),
    `status = 'importing', confirmed_by = $2, accept_removals = $3, accept_unreadable = $4, reason = $5, result = NULL`,
    [by, acceptRemovals, acceptUnreadable, reason],
  )
}

async function move(
  transaction: Queryable,
  orderId: string,
  mayMove: (order: ListOrder) => boolean,
  change: string,
  values: readonly unknown[] = [],
): Promise<ListOrder | OrderRefusal> {
  const order = await lockListOrder(transaction, orderId)
  if (order === null) return 'unknown'
  if (!mayMove(order)) return 'other-status'
  const part = 'SELECT FROM labels.list_order_part WHERE order_id = $1 LIMIT 1'
  const hasFile = order.request.fetch !== undefined || (await transaction.query(part, [orderId])).length > 0
  return hasFile ? await changed(transaction, orderId, change, values) : 'other-status'
}

async function changed(
  transaction: Queryable,
  orderId: string,
  change: string,
  values: readonly unknown[],
): Promise<ListOrder> {
  await transaction.execute(
    `UPDATE labels.list_order SET ${change}, changed_at = now(), leased_by = NULL, leased_until = NULL WHERE order_id = $1`,
    [orderId, ...values],
  )
  return (await findListOrder(transaction, orderId))!
}

/** The order with this id, which nobody else changes before the transaction ends; null if there is none. */
export async function lockListOrder(transaction: Queryable, orderId: string): Promise<ListOrder | null> {
  await transaction.query('SELECT 1 FROM labels.list_order WHERE order_id = $1 FOR UPDATE', [orderId])
  return await findListOrder(transaction, orderId)
}

/** The order with this id; null if there is none. */
export async function findListOrder(database: Queryable, orderId: string): Promise<ListOrder | null> {
  const [row] = await database.query<OrderRow>(
    `SELECT ${FIELDS} FROM labels.list_order WHERE order_id = $1`,
    [orderId],
  )
  return row === undefined ? null : orderOf(row)
}

/** A page of orders, newest first, and the last one of the page if there are more. */
export async function listListOrders(
  database: Queryable,
  {
    after,
    pageSize,
  }: { readonly after: Pick<ListOrder, 'orderedAt' | 'orderId'> | null; readonly pageSize: number },
): Promise<{ readonly items: readonly ListOrder[]; readonly next: ListOrder | null }> {
  const rows = await database.query<OrderRow>(
    `SELECT ${FIELDS} FROM labels.list_order
     WHERE $1::timestamptz IS NULL OR (ordered_at, order_id) < ($1, $2)
     ORDER BY list_order.ordered_at DESC, order_id DESC LIMIT $3`,
    [after?.orderedAt ?? null, after?.orderId ?? null, pageSize + 1],
  )
  const items = rows.slice(0, pageSize).map(orderOf)
  return { items, next: rows.length > pageSize ? (items.at(-1) ?? null) : null }
}

type OrderRow = Omit<ListOrder, 'request' | 'result' | 'bytes'> & {
  readonly request: string
  readonly result: string | null
  readonly bytes: string
}

const FIELDS = `${asFields('order_id, ordered_by, request, status, bytes, confirmed_by, accept_removals, accept_unreadable, reason, result')},
  ${asTimes('ordered_at')}`

export const orderOf = ({ request, result, bytes, ...row }: OrderRow): ListOrder => ({
  ...row,
  request: JSON.parse(request) as OrderedImport,
  result: result === null ? null : (JSON.parse(result) as OrderResult),
  bytes: Number(bytes),
})
