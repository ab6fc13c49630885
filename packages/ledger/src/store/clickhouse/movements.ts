/** Movements of one transaction in ClickHouse. */
import type { Queryable } from '@cupel/postgres'
import { hashDigits } from '../../stored-values.js'
import { addressTexts } from '../../address-texts.js'
import type { TransferReader } from '../transfer-store.js'
import type { ClickHouse } from './client.js'
import { numbersOf, seenRows } from './parts.js'
import { writtenIn } from './runs.js'

const READ = ['address_id', 'counterparty_id', 'contract', 'amount', 'kind', 'tx_hash']
const outgoingOf = (direction: 'incoming' | 'outgoing'): 0 | 1 => (direction === 'outgoing' ? 1 : 0)

export const movementsIn = (
  database: Queryable,
  clickHouse: ClickHouse,
): Pick<TransferReader, 'hasMoreRows' | 'movements'> => ({
  async hasMoreRows({ chain, address, direction, most }) {
    const number = (await numbersOf(database, chain, [address])).get(address)
    if (number === undefined) return false
    const [line] = await clickHouse.rows(
      `SELECT count() FROM (SELECT 1 FROM side WHERE address_id = ${number} AND outgoing = ${outgoingOf(direction)}
         AND revises = 0 LIMIT ${most + 1})`,
    )
    return Number(line![0]) > most
  },
  async movements(request) {
    const { chain, address, direction, txHash, most } = request
    const number = (await numbersOf(database, chain, [address])).get(address)
    const written = number === undefined ? null : await writtenIn(database, request)
    if (written === null) return []
    const rows = seenRows({ written, numbers: [number!], outgoing: outgoingOf(direction) }, READ)
    const lines = await clickHouse.rows(`
      SELECT counterparty_id, contract, toString(amount), kind FROM ${rows}
      WHERE tx_hash = unhex('${hashDigits(txHash)}') AND amount > 0 AND counterparty_id != address_id LIMIT ${most}`)
    const textOf = await addressTexts(database, request.ledgerSeq, new Set(lines.map(([one]) => Number(one))))
    return lines.map(([counterparty, contract, amount, kind]) => ({
      ...{ counterparty: textOf(Number(counterparty)), contract: contract!, amount: amount!, kind: kind! },
    }))
  },
})
