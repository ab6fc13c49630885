/** Which results a list shows, in which order, and where its next page begins. */
import type { JobItem } from '../../read-model/index.js'

export const itemStatuses = ['completed', 'failed', 'cancelled', 'pending'] as const
export const resultSorts = ['submission', 'risk'] as const

export interface ResultSelection {
  readonly sort: (typeof resultSorts)[number]
  readonly level?: string | undefined
  readonly status?: string | undefined
}

/** A place in the order: greater is later. Places of different items differ. */
type Place = readonly number[]

/** Failed items come before green ones. An unknown level ranks like grey. */
const RANKS: Readonly<Record<string, number>> = { red: 0, orange: 1, grey: 2, green: 4 }
const RANKS_WITHOUT_REPORT = { failed: 3, cancelled: 5, pending: 6 }

export function selectResults(
  items: readonly JobItem[],
  { sort, level, status }: ResultSelection,
): readonly JobItem[] {
  const selected = items.filter(
    (item) =>
      (level === undefined || (item.status === 'completed' && item.level === level)) &&
      (status === undefined || item.status === status),
  )
  return sort === 'submission'
    ? selected
    : selected.sort((one, other) => compare(placeOf(one, sort), placeOf(other, sort)))
}

/**
 * The items after a place, which is the place of the last item of the page before. An item that ends between two pages moves: it may
 * be missed, but no item comes twice.
 */
export function pageOf(
  selected: readonly JobItem[],
  { sort }: Pick<ResultSelection, 'sort'>,
  { after, size }: { readonly after: Place | null; readonly size: number },
): { readonly items: readonly JobItem[]; readonly last: Place | null } {
  const from = after === null ? 0 : selected.findIndex((item) => compare(placeOf(item, sort), after) > 0)
  const items = from === -1 ? [] : selected.slice(from, from + size)
  const isEnd = from === -1 || from + size >= selected.length
  return { items, last: isEnd ? null : placeOf(items.at(-1)!, sort) }
}

function placeOf(item: JobItem, sort: ResultSelection['sort']): Place {
  if (sort === 'submission') return [item.index]
  return item.status === 'completed'
    ? [RANKS[item.level] ?? RANKS['grey']!, -item.score, item.index]
    : [RANKS_WITHOUT_REPORT[item.status], 0, item.index]
}

function compare(one: Place, other: Place): number {
  for (const [index, number] of one.entries())
    if (number !== other[index]) return number - (other[index] ?? 0)
  return 0
}
