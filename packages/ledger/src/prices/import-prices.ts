/** Imports a table of daily prices. The table comes into force as a whole, and its event is written in the same transaction. */
import { basename } from 'node:path'
import { requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import { listAssets } from '@cupel/domain'
import type { Database, Queryable } from '@cupel/postgres'
import { outboxType, writeOutbox } from '@cupel/projections'
import { LedgerFileError } from '../formats/ledger-file-error.js'
import { readPrices, type DailyPrice } from './price-file.js'
import { priceTableSha256 } from './read-prices.js'

export interface PriceImportRequest {
  /** Path of the file. */
  readonly file: string
  /** Author of the import, recorded with the table. */
  readonly importedBy: string
  /** The reason, for the audit log. */
  readonly reason?: string | undefined
}

export interface PriceImportDeps {
  /** A database without a limit per statement. */
  readonly database: Database
  readonly now?: () => Date
}

export interface PriceImportSummary {
  readonly status: 'imported' | 'already-imported'
  readonly priceSeq: number
  readonly sha256: string
  readonly prices: number
  readonly assets: readonly string[]
  /** Symbols of no asset in the asset table: their prices are never used. */
  readonly unknownAssets: readonly string[]
  readonly firstDay: string
  readonly lastDay: string
}

export type PriceImportResult =
  | PriceImportSummary
  | { readonly status: 'refused'; readonly message: string; readonly line: number | null }

/**
 * Imports one file. A fault of the file is a result, not an error. If the table in force is imported again, it stays unchanged; an earlier
 * table comes into force again.
 */
export async function importPrices(
  request: PriceImportRequest,
  { database, now = () => new Date() }: PriceImportDeps,
): Promise<PriceImportResult> {
  try {
    const importedAt = now()
    const prices = await readPrices(request.file, importedAt)
    const days = prices.map(({ day }) => day).sort()
    const table = {
      sha256: priceTableSha256(
        prices.map(({ asset, day, microUsd }) => `${asset} ${day} ${microUsd}`).sort(),
      ),
      prices: prices.length,
      assets: [...new Set(prices.map(({ asset }) => asset))].sort(),
      firstDay: days[0]!,
      lastDay: days.at(-1)!,
    }
    const symbols = new Set(listAssets().map(({ symbol }) => symbol))
    const unknownAssets = table.assets.filter((asset) => !symbols.has(asset))
    return await database.transaction({ at: 'ledger.prices' }, async (transaction) => {
      await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended('cupel.price-import', 0))")
      const [last] = await transaction.query<{ price_seq: number; sha256: string }>(
        'SELECT price_seq, sha256 FROM ledger.price_import ORDER BY price_seq DESC LIMIT 1',
      )
      if (last?.sha256 === table.sha256)
        return { status: 'already-imported', priceSeq: last.price_seq, unknownAssets, ...table }
      await storePrices(transaction, table.sha256, prices)
      const priceSeq = (last?.price_seq ?? 0) + 1
      await announce(transaction, {
        ...{ ...table, priceSeq, fileName: basename(request.file), importedAt: importedAt.toISOString() },
        ...{ importedBy: request.importedBy, reason: request.reason ?? '' },
      })
      return { status: 'imported', priceSeq, unknownAssets, ...table }
    })
  } catch (error) {
    if (!(error instanceof LedgerFileError)) throw error
    const place = error.line === null ? '' : `line ${error.line}: `
    return { status: 'refused', message: place + error.message, line: error.line }
  }
}

/** An earlier table may have come into force again: its prices are already stored. */
async function storePrices(
  transaction: Queryable,
  sha256: string,
  prices: readonly DailyPrice[],
): Promise<void> {
  await transaction.execute(
    `INSERT INTO ledger.price (sha256, asset, day, micro_usd)
     SELECT $1, asset, day, micro_usd FROM unnest($2::text[], $3::text[], $4::numeric[]) AS told (asset, day, micro_usd)
     ON CONFLICT DO NOTHING`,
    [
      sha256,
      prices.map(({ asset }) => asset),
      prices.map(({ day }) => day),
      prices.map(({ microUsd }) => microUsd.toString()),
    ],
  )
}

async function announce(transaction: Queryable, data: EventData['PriceTableImported']): Promise<void> {
  const { priceSeq, sha256, fileName, prices, assets, firstDay, lastDay, importedAt, importedBy } = data
  await transaction.execute(
    `INSERT INTO ledger.price_import (price_seq, sha256, file_name, prices, assets, first_day, last_day, imported_at, imported_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [priceSeq, sha256, fileName, prices, assets, firstDay, lastDay, importedAt, importedBy],
  )
  const type = outboxType('PriceTableImported')
  const id = requestedEventId()
  const envelope = {
    ...{ id, source: 'cupel/ledger', time: importedAt, subject: sha256, correlationId: id, causationId: id },
  }
  await writeOutbox(transaction, { type, data, envelope }, { topic: topicOf(type), key: sha256 })
}
