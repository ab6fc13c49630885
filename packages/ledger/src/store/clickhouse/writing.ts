/** Writes versions of transfers for one import. */
import type { Database, Queryable } from '@cupel/postgres'
import { NO_ROWS, sumsText, type RowSums } from '../../row-sums.js'
import type { WrittenSegment } from '../transfer-writer.js'
import type { ClickHouse } from './client.js'
import { countWrite, currentRun, writtenBefore, type Run, type Written } from './runs.js'
import { LINE } from './tables.js'
import { toldLines, type ToldVersion } from './told-lines.js'
import { readVersions, type Version } from './versions.js'

export function createWriting(database: Database, clickHouse: ClickHouse) {
  let run: Run | null = null
  let writes = 0

  async function begun(state: WrittenSegment): Promise<Run> {
    return (run ??= await currentRun(database, state))
  }
  const written = async (transaction: Queryable, state: WrittenSegment): Promise<Written> =>
    await writtenBefore(transaction, (await begun(state)).run)

  async function write(
    transaction: Queryable,
    state: WrittenSegment,
    versions: readonly ToldVersion[],
  ): Promise<RowSums> {
    if (versions.length === 0) return NO_ROWS
    const writing = { chain: state.chain, run: (await begun(state)).run, write: (writes += 1) }
    const { lines, sums } = toldLines(versions, writing)
    await clickHouse.insert('told', LINE, lines)
    await countWrite(transaction, writing)
    return sums
  }
  /** What the transaction changed in the sums is noted where the triggers of Postgres note it. */
  const revise = async (
    transaction: Queryable,
    state: WrittenSegment,
    versions: readonly Version[],
  ): Promise<void> => {
    const sums = await write(
      transaction,
      state,
      versions.map((version) => ({ version, revises: true, changes: true })),
    )
    if (sums === NO_ROWS) return
    await transaction.query(
      `SELECT set_config('cupel.ledger_rows', coalesce(current_setting('cupel.ledger_rows', true), '') || ' +{' || $1 || '}', true)`,
      [sumsText(sums)],
    )
  }
  const versionsOf = async (transaction: Queryable, state: WrittenSegment, ids: readonly string[]) =>
    await readVersions(clickHouse, await written(transaction, state), ids)

  return { begun, written, write, revise, versionsOf }
}
