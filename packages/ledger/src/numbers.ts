/**
 * Numbers of addresses and of contracts: rows of transfers name them by their numbers in `ledger.address` and `ledger.contract`. They are known
 * for one import: another one of its chain, which could give numbers meanwhile, waits for its end.
 */
import type { Queryable } from '@cupel/postgres'
import { added, NO_ROWS, type RowSums } from './row-sums.js'
import { rowText, sumsOfRows } from './told-rows.js'

/** The numbers of texts of a chain, in their order. A text that has none yet gets one, in the transaction of the rows that name it. */
export interface Numbers {
  numbersOf(transaction: Queryable, chain: string, texts: readonly string[]): Promise<readonly number[]>
  /** The transaction of the last call was committed: its numbers hold. Without this call they are asked for again. */
  keep(): void
  /** The sums of the rows that were made since the last call of this function. */
  takeSums(): RowSums
}

/** Half of what is known at most, some 30 MB: the texts asked for last. */
const MOST_RECENT = 250_000

const ADDRESSES = {
  table: 'address',
  find: {
    name: 'ledger.find-addresses',
    text: 'SELECT address_id AS number, address AS text FROM ledger.address WHERE chain = $1 AND address = ANY ($2::text[])',
  },
  give: {
    name: 'ledger.number-addresses',
    text: `INSERT INTO ledger.address (chain, address) SELECT $1, given FROM unnest($2::text[]) AS given
           RETURNING address_id AS number, address AS text`,
  },
}

const CONTRACTS = {
  table: 'contract',
  find: {
    name: 'ledger.find-contracts',
    text: 'SELECT contract_id AS number, contract AS text FROM ledger.contract WHERE chain = $1 AND contract = ANY ($2::text[])',
  },
  give: {
    name: 'ledger.number-contracts',
    text: `INSERT INTO ledger.contract (chain, contract) SELECT $1, given FROM unnest($2::text[]) AS given
           RETURNING contract_id AS number, contract AS text`,
  },
}

interface NumberRow extends Record<string, unknown> {
  number: number
  text: string
}

export const createAddressNumbers = (): Numbers => createNumbers(ADDRESSES)

export const createContractNumbers = (): Numbers => createNumbers(CONTRACTS)

function createNumbers({ table, find, give }: typeof ADDRESSES): Numbers {
  let recent = new Map<string, number>()
  let before = new Map<string, number>()
  let asked = new Map<string, number>()
  let sums = NO_ROWS
  const keep = (text: string, number: number): void => {
    if (recent.size >= MOST_RECENT) {
      before = recent
      recent = new Map()
    }
    recent.set(text, number)
  }
  return {
    async numbersOf(transaction, chain, texts) {
      const unknown = new Set<string>()
      const numbers = texts.map((text) => {
        const number = recent.get(text) ?? before.get(text)
        if (number === undefined) unknown.add(text)
        return number
      })
      asked = new Map()
      // A row's own text is kept: that of the file would keep the whole chunk of the file that it was cut from.
      const note = (rows: readonly NumberRow[]): void => {
        for (const { number, text } of rows) {
          asked.set(text, number)
          unknown.delete(text)
        }
      }
      if (unknown.size > 0) note(await transaction.query<NumberRow>(find, [chain, [...unknown]]))
      if (unknown.size > 0) {
        const given = await transaction.query<NumberRow>(give, [chain, [...unknown]])
        note(given)
        const rows = given.map(({ number, text }) => `(${number},${rowText(chain)},${rowText(text)}`)
        sums = added(sums, sumsOfRows(table, rows))
      }
      return numbers.map((number, index) => number ?? asked.get(texts[index]!)!)
    },
    keep() {
      for (const [text, number] of asked) keep(text, number)
    },
    takeSums() {
      const taken = sums
      sums = NO_ROWS
      return taken
    },
  }
}
