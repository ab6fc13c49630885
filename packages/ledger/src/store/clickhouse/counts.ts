/** Counts of transfers in ClickHouse. */
import type { Queryable } from '@cupel/postgres'
import type { OfAddresses, TransferReader } from '../transfer-store.js'
import type { ClickHouse } from './client.js'
import { dustIn, measuredIn, numbersOf, seenRows, weightIn } from './parts.js'
import { hasBegun, writtenIn, type WrittenState } from './runs.js'

export function countsIn(
  database: Queryable,
  clickHouse: ClickHouse,
): Pick<TransferReader, 'countTransfers' | 'countRows' | 'sizes' | 'codeAmong'> {
  /** The lines of a statement by the address that the first column numbers. */
  const linesOf = async (
    request: OfAddresses,
    statement: (written: WrittenState, numbers: readonly number[]) => string,
  ): Promise<ReadonlyMap<string, readonly (string | null)[]>> => {
    const numbers = await numbersOf(database, request.chain, request.addresses)
    const written = numbers.size === 0 ? null : await writtenIn(database, request)
    if (written === null) return new Map()
    const texts = new Map([...numbers].map(([text, number]) => [String(number), text]))
    const lines = await clickHouse.rows(statement(written, [...numbers.values()]))
    return new Map(lines.map((line) => [texts.get(line[0]!)!, line]))
  }
  const counted = async (...asked: Parameters<typeof linesOf>): Promise<ReadonlyMap<string, number>> =>
    new Map([...(await linesOf(...asked))].map(([address, line]) => [address, Number(line[1])]))
  return {
    countTransfers: async (request) =>
      await counted(
        request,
        (written, numbers) =>
          `SELECT address_id, least(count(), ${request.limit}) FROM ${seenRows({ written, numbers }, ['address_id'])} GROUP BY address_id`,
      ),
    countRows: async (request) =>
      await counted(
        request,
        (written, numbers) =>
          `SELECT address_id, least(count(), ${request.limit}) FROM side
           WHERE address_id IN (${numbers.join()}) AND ${hasBegun(written)} GROUP BY address_id`,
      ),
    async sizes(request) {
      const { chain, most } = request
      const columns = ['address_id', 'outgoing', 'counterparty_id', 'contract', 'amount', 'transfer_id']
      const lines = await linesOf(request, (written, numbers) => {
        const rows = seenRows({ written, numbers }, columns)
        const read =
          most === undefined ? rows : `(SELECT * FROM ${rows} LIMIT ${most} BY address_id, outgoing)`
        return `
          SELECT address_id, sum(transfers), sum(worth), uniqExactIf(counterparty_id, value >= ${dustIn(chain)}) FROM (
            SELECT address_id, counterparty_id, ${measuredIn(chain)} AS measured, sum(weight) AS value, count() AS transfers,
              countIf(weight >= ${dustIn(chain)}) AS worth
            FROM (SELECT *, ${weightIn(chain)} AS weight FROM ${read}) GROUP BY address_id, counterparty_id, measured)
          GROUP BY address_id`
      })
      return new Map(
        request.addresses.map((address) => {
          const [, transfers, worth, counterparties] = lines.get(address) ?? [null, 0, 0, 0]
          return [
            address,
            { transfers: Number(transfers), worth: Number(worth), counterparties: Number(counterparties) },
          ]
        }),
      )
    },
    async codeAmong(request) {
      // The delegation of EIP-7702 lets an account make calls; such an account sends transactions too, and is not a contract.
      const lines = await linesOf(
        request,
        (written, numbers) => `
          SELECT address_id FROM ${seenRows({ written, numbers, outgoing: 1 }, ['address_id', 'kind'])}
          GROUP BY address_id HAVING countIf(kind = 'i') > 0 AND countIf(kind = 'n') = 0`,
      )
      return [...lines.keys()]
    },
  }
}
