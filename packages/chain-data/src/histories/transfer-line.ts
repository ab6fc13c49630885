/** A line of the ledger's `csv` format, written as a JSON line. An empty text is a value that the provider does not state. */

export interface TransferLine extends Readonly<Record<string, string>> {
  readonly chain: string
  readonly block_number: string
  /** Seconds since 1970. */
  readonly block_time: string
  readonly tx_hash: string
  readonly log_index: string
  readonly kind: 'native' | 'internal' | 'token' | 'issuance'
  /** Contract or mint of a token. Its symbol and decimals are not written: anyone can name a token. */
  readonly asset_address: string
  readonly from_address: string
  readonly to_address: string
  /** Base units. */
  readonly amount_raw: string
  readonly amount: string
  /** 1 or 0; empty if the provider does not prove the outcome. */
  readonly status: string
  readonly transaction_index: string
}

type Stated = Pick<TransferLine, 'kind' | 'from_address' | 'to_address' | 'amount_raw'> &
  Partial<Readonly<Record<keyof TransferLine, string>>>

export const transferLine = (chain: string, stated: Stated): TransferLine => ({
  block_number: '',
  block_time: '',
  tx_hash: '',
  log_index: '',
  asset_address: '',
  amount: '',
  status: '',
  transaction_index: '',
  ...stated,
  chain,
})
