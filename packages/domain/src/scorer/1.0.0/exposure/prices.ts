/** The daily prices that give amounts a value in US dollars. */

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
