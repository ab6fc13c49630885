/** Rows of the ledger's own layout. */

export const HEADING =
  'chain,block_number,block_time,tx_hash,transaction_index,log_index,kind,asset_address,from_address,to_address,amount_raw,amount,status'

/** 1 succeeded, 0 failed, empty if the node does not tell. */
export type Status = '1' | '0' | ''

export interface Movement {
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly value: bigint
}

export interface Rows {
  moved(kind: 'native' | 'internal', movement: Movement, status: Status, place?: string): void
  /** A token by its contract. */
  token(movement: Movement, contract: string, logIndex: number): void
  issued(to: string, value: bigint): void
  /** Coins that go into a pool of the chain, which has no address, or come from it: the end in the pool is empty. */
  pooled(movement: Movement): void
  /** An asset of TRON that has no contract. */
  trc10(movement: Movement, asset: string): void
}

/** Adds rows of a block, or of one of its transactions. */
export function rowsOf(
  rows: string[],
  { chain, height, atS }: { readonly chain: string; readonly height: number; readonly atS: number | null },
  transaction: { readonly hash: string; readonly index: number } | null = null,
): Rows {
  const place = `${chain},${height},${atS ?? ''},${transaction?.hash ?? ''},${transaction?.index ?? ''}`
  return {
    moved: (kind, { from, to, value }, status, index = '') =>
      void rows.push(`${place},${index},${kind},,${from},${to},${value},,${status}\n`),
    token: ({ from, to, value }, contract, logIndex) =>
      void rows.push(`${place},${logIndex},token,${contract},${from},${to},${value},,1\n`),
    issued: (to, value) => {
      if (value > 0n) rows.push(`${place},,issuance,,,${to},${value},,1\n`)
    },
    pooled: ({ from, to, value }) => {
      if (value > 0n) rows.push(`${place},,pool,,${from},${to},${value},,1\n`)
    },
    trc10: ({ from, to, value }, asset) => {
      if (value > 0n) rows.push(`${place},,trc10,${asset},${from},${to},${value},,1\n`)
    },
  }
}
