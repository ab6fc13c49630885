/** Gives amounts a value in US dollars, from a table of daily prices. */
import type { Asset } from '../tables/asset-table.js'
import { utcText } from './history.js'
import type { Transfer } from './transfer.js'

/** One version of a table of daily prices. */
export interface PriceTable {
  /** Names the table: SHA-256, lowercase hex. */
  readonly sha256: string
  /**
   * Price of one whole unit of an asset on a day, in millionths of a US dollar; null where the table has none.
   * @param symbol as in the asset table
   * @param utcDay YYYY-MM-DD
   */
  microUsdOf(symbol: string, utcDay: string): bigint | null
}

/**
 * Value of base units at the day of a transfer, in millionths of a US dollar, rounded down; null where the day or its price is not
 * known.
 */
export type Valuation = (baseUnits: bigint, at: Pick<Transfer, 'occurredAtS'>) => bigint | null

const DAY_S = 86_400
const DAY_LETTERS = 'YYYY-MM-DD'.length

/** The valuation of one asset. It asks the table once for each day. */
export function valuationOf({ symbol, decimals }: Asset, prices: PriceTable | null): Valuation {
  if (prices === null) return () => null
  const whole = 10n ** BigInt(decimals)
  const priceOfDay = new Map<number, bigint | null>()
  return (baseUnits, { occurredAtS }) => {
    if (occurredAtS === null) return null
    const day = Math.floor(occurredAtS / DAY_S)
    let price = priceOfDay.get(day)
    if (price === undefined) {
      price = prices.microUsdOf(symbol, utcText(day * DAY_S).slice(0, DAY_LETTERS))
      priceOfDay.set(day, price)
    }
    return price === null ? null : (baseUnits * price) / whole
  }
}

/** The sum of two values; unknown where one is. */
export const addedValue = (a: bigint | null, b: bigint | null): bigint | null =>
  a === null || b === null ? null : a + b
