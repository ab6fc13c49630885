/** Transfers of ranges of blocks, for imports that replace them or tell their times. */
import type { Queryable } from '@cupel/postgres'
import { storedKinds } from '../postgres-writer.js'
import type { RetiredRange, WrittenSegment } from '../transfer-writer.js'
import type { ClickHouse } from './client.js'
import { isWritten, type Written } from './runs.js'
import { UNKNOWN } from './tables.js'
import { movedElsewhere, readVersions, toldNowhereElse, type Version } from './versions.js'

/** Rows of one look at a range. */
const MOST_ROWS = 50_000

/** The transfers that were in the range, each with its last version, which may be elsewhere now. */
export async function* versionsInRange(
  clickHouse: ClickHouse,
  written: Written,
  of: { readonly state: WrittenSegment; readonly range: RetiredRange },
): AsyncGenerator<readonly Version[]> {
  const { completeFrom, completeTo, covers } = of.range
  const kinds = covers.flatMap((kind) => storedKinds[kind] ?? []).map((kind) => `'${kind}'`)
  if (kinds.length === 0 || completeFrom === undefined || completeTo === undefined) return
  const rows = `chain = '${of.state.chain}' AND kind IN (${kinds.join()}) AND ${isWritten(written)}`
  const blocks = await clickHouse.rows(
    `SELECT block_number, count() FROM by_height WHERE block_number BETWEEN ${completeFrom} AND ${completeTo} AND ${rows}
     GROUP BY block_number ORDER BY block_number`,
  )
  for (const [low, high] of slicesOf(
    blocks.map(([block, count]) => [Number(block), Number(count)] as const),
  )) {
    const ids = await clickHouse.rows(`
      SELECT DISTINCT lower(hex(transfer_id)) FROM side WHERE outgoing = 1 AND ${isWritten(written)} AND (address_id, block_number) IN (
        SELECT from_id, block_number FROM by_height WHERE block_number BETWEEN ${low} AND ${high} AND ${rows})`)
    const versions = await readVersions(
      clickHouse,
      written,
      ids.map(([id]) => id!),
    )
    yield [...versions.values()]
  }
}

function* slicesOf(
  blocks: readonly (readonly [block: number, rows: number])[],
): Generator<readonly [number, number]> {
  let [first, last, rows] = [-1, -1, 0]
  for (const [block, count] of blocks) {
    if (rows > 0 && rows + count > MOST_ROWS) {
      yield [first, last]
      rows = 0
    }
    if (rows === 0) first = block
    last = block
    rows += count
  }
  if (rows > 0) yield [first, last]
}

/** The transfers outside of the range that another file told in it, as they are without that. */
export async function versionsWithout(
  clickHouse: ClickHouse,
  written: Written,
  { state, range }: { readonly state: WrittenSegment; readonly range: RetiredRange },
): Promise<readonly Version[]> {
  const { completeFrom, completeTo, covers } = range
  if (completeFrom === undefined || completeTo === undefined) return []
  const kinds = covers.flatMap((kind) => storedKinds[kind] ?? [])
  const isInRange = (block: string): boolean => Number(block) >= completeFrom && Number(block) <= completeTo
  const told = `outgoing = 1 AND other_segment_id != 0 AND other_block BETWEEN ${completeFrom} AND ${completeTo} AND ${isWritten(written)}`
  // Only the numbers of addresses tell the chain of a side.
  const ids = await clickHouse.rows(`
    SELECT DISTINCT lower(hex(transfer_id)) FROM side WHERE ${told} AND (address_id, block_number) IN (
      SELECT from_id, block_number FROM by_height
      WHERE chain = '${state.chain}' AND block_number IN (SELECT block_number FROM side WHERE ${told}))`)
  const versions = await readVersions(
    clickHouse,
    written,
    ids.map(([id]) => id!),
  )
  return [...versions.values()]
    .filter(({ other, block, kind }) => {
      const isOther = other.segment !== 0 && other.segment !== state.segmentId && isInRange(other.block)
      return isOther && !isInRange(block) && kinds.includes(kind)
    })
    .map(toldNowhereElse)
}

/** Of the range, and not in the file that replaces it. */
export function isNotTold(version: Version, { segmentId }: WrittenSegment, range: RetiredRange): boolean {
  const block = Number(version.block)
  const kinds = range.covers.flatMap((kind) => storedKinds[kind] ?? [])
  return (
    block >= range.completeFrom! &&
    block <= range.completeTo! &&
    kinds.includes(version.kind) &&
    version.retired === 0 &&
    (version.seen || version.segment) !== segmentId
  )
}

/** A transfer that another file tells outside of the range is there now. */
export function retiredOrMoved(
  version: Version,
  { segmentId }: WrittenSegment,
  range: RetiredRange,
): Version {
  const { segment, block } = version.other
  const isInRange = Number(block) >= range.completeFrom! && Number(block) <= range.completeTo!
  const isMoved = segment !== 0 && segment !== segmentId && !isInRange
  return isMoved ? movedElsewhere(version) : { ...version, retired: segmentId }
}

/** Of these blocks only the segment states a time. */
const FIRST_TIMED = `
  SELECT b.height FROM ledger.block b WHERE b.chain = $1 AND b.segment_id = $2 AND b.height = ANY ($3::int8[])
    AND NOT EXISTS (
      SELECT FROM ledger.block other JOIN ledger.segment s USING (segment_id)
      WHERE other.chain = b.chain AND other.height = b.height AND s.ledger_seq IS NOT NULL)`

export async function countTimed(
  transaction: Queryable,
  clickHouse: ClickHouse,
  { state, written }: { readonly state: WrittenSegment; readonly written: Written },
): Promise<number> {
  const lines = await clickHouse.rows(`
    SELECT block_number, count() FROM by_height
    WHERE chain = '${state.chain}' AND is_timeless = 1 AND revises = 0 AND block_number != ${UNKNOWN} AND ${isWritten(written)}
    GROUP BY block_number`)
  let timed = 0
  for (let at = 0; at < lines.length; at += MOST_ROWS) {
    const counts = new Map(
      lines.slice(at, at + MOST_ROWS).map(([block, count]) => [Number(block), Number(count)]),
    )
    const rows = await transaction.query<{ height: number }>(FIRST_TIMED, [
      state.chain,
      state.segmentId,
      [...counts.keys()],
    ])
    for (const { height } of rows) timed += counts.get(height)!
  }
  return timed
}
