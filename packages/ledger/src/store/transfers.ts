/**
 * The store of the transfers of this process: ClickHouse if CUPEL_LEDGER_URL names one, else Postgres. Threads have the settings of their process, so that
 * none of them reads another store.
 */
import { readFileSync } from 'node:fs'
import type { Database, Queryable } from '@cupel/postgres'
import { openClickHouse, type ClickHouse } from './clickhouse/client.js'
import * as clickHouse from './clickhouse/index.js'
import * as neighbours from './postgres-neighbours.js'
import * as transfers from './postgres-transfers.js'
import * as writer from './postgres-writer.js'
import type { NeighbourReader, TransferReader } from './transfer-store.js'
import type { TransferWriter } from './transfer-writer.js'

/** As for a statement of Postgres. */
const READING_MS = 10_000
/** Of one batch, and of one look at known transfers. */
const WRITING_MS = 600_000
/** Of one slice of the rows that are added up. A scorer that ends waits for it. */
const ADDING_MS = 30_000

const opened = new Map<string, ClickHouse>()

function clickHouseWithin(timeoutMs: number): ClickHouse | null {
  const url = ledgerUrl()
  if (url === undefined) return null
  const key = `${timeoutMs} ${url}`
  const known = opened.get(key)
  if (known !== undefined) return known
  const one = openClickHouse({ url, timeoutMs })
  opened.set(key, one)
  return one
}

/** Undefined: the transfers are in Postgres. */
export function ledgerUrl(): string | undefined {
  const { CUPEL_LEDGER_URL: url, CUPEL_LEDGER_URL_FILE: file } = process.env
  if (url !== undefined && url !== '') return url
  return file === undefined || file === '' ? undefined : readFileSync(file, 'utf8').trim()
}

export function transfersIn(database: Queryable): TransferReader {
  const store = clickHouseWithin(READING_MS)
  return store === null ? transfers.transfersIn(database) : clickHouse.transfersIn(database, store)
}

export function neighboursIn(database: Queryable): NeighbourReader {
  const store = clickHouseWithin(READING_MS)
  return store === null ? neighbours.neighboursIn(database) : clickHouse.neighboursIn(database, store)
}

export function transferWriterIn(database: Database): TransferWriter {
  const store = clickHouseWithin(WRITING_MS)
  return store === null ? writer.transferWriterIn(database) : clickHouse.transferWriterIn(database, store)
}

export const engineOfLedger = (): TransferWriter['engine'] =>
  ledgerUrl() === undefined ? 'postgres' : 'clickhouse'

/** Null if the transfers are in Postgres. */
export const clickHouseOfLedger = (): ClickHouse | null => clickHouseWithin(ADDING_MS)
