/** Addresses that transfers in ClickHouse name, in any state. */
import type { Queryable } from '@cupel/postgres'
import { addressTexts } from '../../address-texts.js'
import type { NeighbourReader } from '../transfer-store.js'
import type { ClickHouse } from './client.js'
import { numbersOf } from './parts.js'
import { requireRuns } from './runs.js'

export function neighboursIn(database: Queryable, clickHouse: ClickHouse): NeighbourReader {
  const textsOf = async (statement: string): Promise<readonly string[]> => {
    await requireRuns(database, clickHouse)
    const numbers = (await clickHouse.rows(statement)).map(([number]) => Number(number))
    // No state of these texts is asked for, so that those of a state stay known.
    const textOf = await addressTexts(database, NO_STATE, numbers)
    return numbers.map(textOf)
  }
  const runsOf = async (segmentIds: readonly number[]): Promise<readonly number[]> =>
    (
      await database.query<{ run: number }>(
        'SELECT run FROM ledger.store_run WHERE segment_id = ANY ($1::int4[])',
        [segmentIds],
      )
    ).map(({ run }) => run)
  const ends = (where: string, most: number): string =>
    `SELECT DISTINCT arrayJoin([from_id, to_id]) AS one FROM by_height WHERE ${where} LIMIT ${most}`
  return {
    async neighbours({ chain, addresses, most }) {
      const numbers = [...(await numbersOf(database, chain, addresses)).values()]
      if (numbers.length === 0) return []
      return await textsOf(
        `SELECT DISTINCT counterparty_id FROM side WHERE address_id IN (${numbers.join()}) LIMIT ${most}`,
      )
    },
    async changedBy({ segmentIds, most }) {
      const runs = await runsOf(segmentIds)
      return runs.length === 0 ? [] : await textsOf(ends(`run IN (${runs.join()}) AND changes = 1`, most))
    },
    async retold({ chain, low, high, segmentIds, most }) {
      const runs = await runsOf(segmentIds)
      const others = runs.length === 0 ? '' : `AND run NOT IN (${runs.join()})`
      // The chain has been checked: it is the code of a row of the chain table.
      return await textsOf(
        ends(
          `chain = '${chain}' AND block_number BETWEEN ${low} AND ${high} AND revises = 0 ${others}`,
          most,
        ),
      )
    },
  }
}

const NO_STATE = -1
