/** The labels of the demo as a set: while it has labels the demo is on, and an empty set ends it. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { DEMO_SOURCE } from '@cupel/domain'
import type { Database, Queryable } from '@cupel/postgres'
import { listSets } from '../read-model/index.js'
import type { LabelImportRequest } from '../import/import-request.js'
import { createListOrder, type OrderRefusal, type OrderResult } from '../orders/list-order.js'

const DATASET = 'demo'
const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../data/demo/${name}.csv`, import.meta.url))

/** An import that turns the demo on or off, without its author. */
export function demoImport(isOn: boolean): Omit<LabelImportRequest, 'importedBy'> & { readonly set: string } {
  const set = { format: 'csv', source: DEMO_SOURCE, set: DATASET }
  return isOn
    ? { ...set, file: fileOf('labels'), reason: 'The demo is turned on' }
    : { ...set, file: fileOf('no-labels'), acceptRemovals: 1, reason: 'The demo is removed' }
}

export type DemoStatus = 'off' | 'loading' | 'on' | 'removing'

export interface DemoState {
  readonly status: DemoStatus
  /** Why the last change came to nothing, as a sentence; null if it did not. */
  readonly fault: string | null
}

export async function readDemoState(database: Queryable): Promise<DemoState> {
  const [sets, [order]] = await Promise.all([
    listSets(database),
    database.query<{ status: string; accept: number | null; result: string | null }>(
      `SELECT status, accept_removals AS accept, result FROM labels.list_order
       WHERE request::json ->> 'source' = $1 AND request::json ->> 'set' = $2
       ORDER BY ordered_at DESC, order_id DESC LIMIT 1`,
      [DEMO_SOURCE, DATASET],
    ),
  ])
  const isOn = sets.some(({ source, total }) => source === DEMO_SOURCE && total > 0)
  if (order?.status === 'importing')
    return { status: order.accept === null ? 'loading' : 'removing', fault: null }
  return { status: isOn ? 'on' : 'off', fault: faultOf(order?.result ?? null) }
}

function faultOf(result: string | null): string | null {
  if (result === null) return null
  const told = JSON.parse(result) as OrderResult
  return told.status === 'refused' || told.status === 'failed' ? `${told.message.replace(/[.]$/, '')}.` : null
}

/** Orders the change; the process that refreshes lists makes it. Nothing is ordered where the demo is so already, or will be. */
export async function orderDemo(
  database: Database,
  { isOn, by }: { readonly isOn: boolean; readonly by: string },
): Promise<DemoState | OrderRefusal> {
  const { status } = await readDemoState(database)
  if ((status === 'on' || status === 'loading') !== isOn) {
    const { file, acceptRemovals = null, reason = null, ...request } = demoImport(isOn)
    const order = await createListOrder(database, {
      ...{ request, by },
      confirmed: { content: await readFile(file), acceptRemovals, reason },
    })
    if (typeof order === 'string') return order
  }
  return await readDemoState(database)
}
