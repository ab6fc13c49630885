/** Reads a file of daily prices: CSV with the columns day, asset and usd. One bad row rejects the file. */
import { LedgerFileError } from '../formats/ledger-file-error.js'
import type { FileRecord } from '../formats/ledger-row.js'
import { readRecords } from '../formats/read-file.js'

export interface DailyPrice {
  /** UTC, 2026-11-22. */
  readonly day: string
  /** Symbol as in the asset table. */
  readonly asset: string
  /** Millionths of a US dollar for one whole unit; above zero. */
  readonly microUsd: bigint
}

/** Each price is read into memory; ten thousand days of two hundred assets fit. */
const MAX_PRICES = 2_000_000
/** Digits after the point. */
const DECIMALS = 6
const COLUMNS = ['day', 'asset', 'usd'] as const

/** All prices, in the order of the file. Throws LedgerFileError with the line. */
export async function readPrices(path: string, now: Date): Promise<readonly DailyPrice[]> {
  const prices: DailyPrice[] = []
  const known = new Set<string>()
  const today = now.toISOString().slice(0, 10)
  for await (const records of readRecords(path, null)) {
    for (const record of records) {
      const price = priceOf(record)
      const key = `${price.day} ${price.asset}`
      if (price.day > today) throw new LedgerFileError('the day is in the future', record.line)
      if (known.has(key))
        throw new LedgerFileError(`a second price of ${price.asset} on ${price.day}`, record.line)
      if (prices.length >= MAX_PRICES)
        throw new LedgerFileError(`more than ${MAX_PRICES} prices`, record.line)
      known.add(key)
      prices.push(price)
    }
  }
  if (prices.length === 0) throw new LedgerFileError('The file has no prices', null)
  return prices
}

function priceOf(record: FileRecord): DailyPrice {
  const { line } = record
  for (const name of COLUMNS)
    if (!record.has(name)) throw new LedgerFileError(`the column ${name} is missing`, line)
  const [day, asset, usd] = COLUMNS.map((name) => record.text(name).trim()) as [string, string, string]
  if (!isDay(day)) throw new LedgerFileError(`${day.slice(0, 40)} is not a day such as 2026-11-22`, line)
  if (!/^[A-Za-z0-9.]{1,20}$/.test(asset))
    throw new LedgerFileError(`${JSON.stringify(asset.slice(0, 40))} is not a symbol of an asset`, line)
  const match = /^(\d{1,20})(?:\.(\d{1,6}))?$/.exec(usd)
  const microUsd = match === null ? 0n : BigInt(match[1]! + (match[2] ?? '').padEnd(DECIMALS, '0'))
  if (microUsd === 0n)
    throw new LedgerFileError(
      `${JSON.stringify(usd.slice(0, 40))} is not a price above zero with at most ${DECIMALS} decimals`,
      line,
    )
  return { day, asset, microUsd }
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
