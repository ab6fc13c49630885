/**
 * Numbers of addresses and of contracts: rows of transfers name them by their numbers in `ledger.address` and `ledger.contract`. They are known
 * for one import: another one of its chain, which could give numbers meanwhile, waits for its end.
 */
import type { Queryable } from '@cupel/postgres'
import { createIdSet } from './known-ids.js'
import { createNewestValues } from './newest-values.js'
import { added, NO_ROWS, type RowSums } from './row-sums.js'
import { numberOf } from './stored-values.js'
import { rowText, sumsOfRows } from './told-rows.js'
import { createWordTable, writeHex } from './word-table.js'

/** The numbers of texts of a chain, in their order. A text that has none yet gets one, in the transaction of the rows that name it. */
export interface Numbers {
  numbersOf(transaction: Queryable, chain: string, texts: readonly string[]): Promise<readonly number[]>
  /** The transaction of the last call was committed: its numbers hold. Without this call they are asked for again. */
  keep(): void
  /** The sums of the rows that were made since the last call of this function. */
  takeSums(): RowSums
}

/** The texts asked for last: 50 MB of addresses in hexadecimal digits, or 60 MB of others. */
const [MOST_HEX, MOST_OTHERS] = [1_000_000, 500_000]

const ADDRESSES = {
  table: 'address',
  find: {
    name: 'ledger.find-addresses',
    text: `SELECT number, text FROM (SELECT ${numberOf('asked.text')} AS number, text FROM unnest($2::text[]) AS asked (text) OFFSET 0) AS found
           WHERE number IS NOT NULL`,
  },
  give: {
    name: 'ledger.number-addresses',
    text: `INSERT INTO ledger.address (chain, address) SELECT $1, given FROM unnest($2::text[]) AS given WHERE ${numberOf('given')} IS NULL
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
           ON CONFLICT DO NOTHING RETURNING contract_id AS number, contract AS text`,
  },
}

/** A chain without rows of an import has no number. */
const ANY_ROWS = {
  name: 'ledger.any-rows',
  text: `SELECT EXISTS (SELECT FROM ledger.segment WHERE chain = $1 AND row_sums <> '{0,0,0,0,0}') AS is_any`,
}

/** Another import of the chain that lost its own lock may still give numbers: what it gave is found once its transaction ended. */
const LOCK = {
  name: 'ledger.lock-numbers',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('ledger.numbers ' || $1, 0))`,
}

interface NumberRow extends Record<string, unknown> {
  number: number
  text: string
}

export const createAddressNumbers = (): Numbers => createNumbers(ADDRESSES)

export const createContractNumbers = (): Numbers => createNumbers(CONTRACTS)

/** Numbers by text; 0 for an unknown one. */
function createKnownNumbers(): { get(text: string): number; put(text: string, number: number): void } {
  const table = createWordTable({ keyWords: 5, valueWords: 1, most: MOST_HEX })
  const others = createNewestValues<number>(MOST_OTHERS)
  const isHex = (text: string): boolean =>
    text.length === HEX_ADDRESS && text.startsWith('0x') && writeHex(text, 2, table.key)
  return {
    get: (text) => (isHex(text) ? (table.find() ? table.value[0]! : 0) : (others.get(text) ?? 0)),
    put(text, number) {
      if (!isHex(text)) return void others.put(text, number)
      if (table.find()) return
      table.value[0] = number
      table.add()
    },
  }
}

const HEX_ADDRESS = 42

function createNumbers({ table, find, give }: typeof ADDRESSES): Numbers {
  /** The texts that may have a number; null before the first call, and if the chain had numbers before this import. */
  let numbered: ReturnType<typeof createIdSet> | null = null
  let isAsked = false
  const known = createKnownNumbers()
  let asked = new Map<string, number>()
  let sums = NO_ROWS
  return {
    async numbersOf(transaction, chain, texts) {
      if (!isAsked && texts.length > 0) {
        const [row] = await transaction.query<{ is_any: boolean }>(ANY_ROWS, [chain])
        if (row?.is_any === false) numbered = createIdSet()
        isAsked = true
      }
      const unknown = new Set<string>()
      const numbers = texts.map((text) => {
        const number = known.get(text)
        if (number === 0) unknown.add(text)
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
      const sought = [...unknown].filter((text) => numbered?.addText(text) !== true)
      if (sought.length > 0) note(await transaction.query<NumberRow>(find, [chain, sought]))
      if (unknown.size > 0) {
        await transaction.query(LOCK, [chain])
        const given = await transaction.query<NumberRow>(give, [chain, [...unknown]])
        note(given)
        const rows = given.map(({ number, text }) => `${table}(${number},${rowText(chain)},${rowText(text)}`)
        sums = added(sums, sumsOfRows(rows))
        if (unknown.size > 0) note(await transaction.query<NumberRow>(find, [chain, [...unknown]]))
      }
      return numbers.map((number, index) => number || asked.get(texts[index]!)!)
    },
    keep() {
      for (const [text, number] of asked) known.put(text, number)
    },
    takeSums() {
      const taken = sums
      sums = NO_ROWS
      return taken
    },
  }
}
