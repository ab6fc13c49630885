/**
 * One list of several ranges of an index that are each in this order. Postgres merges them and reads about as many rows as the list has,
 * however many rows the ranges have. `ranges`: SELECTs with the same columns and no ORDER BY; a row that is in several ranges is listed once.
 * `order`: columns that name a row, the greatest first. `limit`: a number or a parameter.
 */
export function mergedRanges(
  ranges: readonly string[],
  order: readonly string[],
  limit: string | number,
): string {
  const newestFirst = greatestFirst(order)
  const inOrder = ranges.map((range) => `(${range} ORDER BY ${newestFirst} LIMIT ${limit})`)
  return inOrder.length === 1
    ? inOrder[0]!
    : `(SELECT DISTINCT ON (${order.join(', ')}) * FROM (${inOrder.join(' UNION ALL ')}) AS ranges ORDER BY ${newestFirst} LIMIT ${limit})`
}

/** For ORDER BY. */
export const greatestFirst = (order: readonly string[]): string =>
  order.map((column) => `${column} DESC`).join(', ')
