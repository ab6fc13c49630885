/** The sums of the rows of transfers in ClickHouse, of both sides. */
import type { Queryable } from '@cupel/postgres'
import { added, NO_ROWS, sumsOf, type RowSums } from '../../row-sums.js'
import type { ClickHouse } from './client.js'
import { everWritten, hasBegunLast, isWritten, type Written } from './runs.js'
import { SIDE_TEXT } from './told-lines.js'

const wordAt = (place: number): string =>
  `toString(sum(toInt256(reinterpretAsInt64(reverse(substring(hash, ${place}, 8))))))`

/** Addresses of the first slice. Slices grow and shrink to take about as long as this. */
const FIRST_SLICE = 1_000
const SLICE_MS = 200
/** The numbers of addresses end before it. */
const MOST_ADDRESSES = 2 ** 32

export interface RowsToSum {
  readonly written: Written
  /** SQL of ClickHouse: an error if it is not the one that the imports wrote to. */
  readonly hasBegun: string
  /** The highest number of an address. */
  readonly lastNumber: number
}

/** What segments state in their sums, in one state of Postgres: rows never change, so that they may be read later. */
export async function rowsToSum(database: Queryable): Promise<RowsToSum> {
  const [newest] = await database.query<{ last: number }>(
    'SELECT coalesce(max(address_id), 0) AS last FROM ledger.address',
  )
  return {
    written: await everWritten(database),
    hasBegun: await hasBegunLast(database),
    lastNumber: newest!.last,
  }
}

export interface SideSums {
  readonly sent: RowSums
  readonly received: RowSums
}

/** Null if `afterSlice` ended the reading by resolving to false. */
export async function readSideSums(
  clickHouse: ClickHouse,
  { written, hasBegun, lastNumber }: RowsToSum,
  afterSlice: (sliceMs: number) => Promise<boolean> = () => Promise.resolve(true),
): Promise<SideSums | null> {
  const sums = { sent: NO_ROWS, received: NO_ROWS }
  let size = FIRST_SLICE
  for (let first = 0; first < MOST_ADDRESSES;) {
    // What has a number that no address has is in the last slice.
    const next = first + size > lastNumber ? MOST_ADDRESSES : first + size
    const since = performance.now()
    const lines = await clickHouse.rows(`
      SELECT outgoing, count(), ${[1, 9, 17, 25].map(wordAt).join(', ')}
      FROM (SELECT outgoing, SHA256(${SIDE_TEXT}) AS hash FROM side
        WHERE address_id >= ${first} AND address_id < ${next} AND ${isWritten(written)} AND ${hasBegun})
      GROUP BY outgoing`)
    for (const [outgoing, ...found] of lines) {
      const side = outgoing === '1' ? 'sent' : 'received'
      sums[side] = added(sums[side], sumsOf(found.join()))
    }
    const sliceMs = performance.now() - since
    if (!(await afterSlice(sliceMs))) return null
    size = Math.max(1, Math.round(size * Math.min(10, Math.max(0.1, SLICE_MS / sliceMs))))
    first = next
  }
  return sums
}
