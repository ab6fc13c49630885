/**
 * What a decision needs to know of each chain: its family and its native asset. The address formats, which only matter
 * before a decision, are in the address table.
 */

/** Changes with every row; each report records it. */
export const CHAIN_TABLE_VERSION = '1.0.0'

/** Chains of one family write and check addresses alike. */
export type ChainFamily =
  | 'bitcoin'
  | 'evm'
  | 'tron'
  | 'solana'
  | 'ripple'
  | 'monero'
  | 'ton'
  | 'cardano'
  | 'cosmos'
  | 'substrate'
  | 'stellar'
  | 'algorand'

export interface ChainFacts {
  readonly family: ChainFamily
  /** Symbol of the native asset. */
  readonly symbol: string
  /** Digits between the base unit and one whole native asset. */
  readonly decimals: number
  /** Dust of the native asset, in whole ones. */
  readonly dust: string
  /**
   * Symbol of the token of the wrapped native coin: whoever sends native coins to its contract gets as many, and the other way round. Null if
   * there is none.
   */
  readonly wrapped: string | null
  /** One transaction spends outputs of several addresses, which probably have one owner. */
  readonly spendsTogether: boolean
  /** Contracts move the native asset in calls that only traces show. */
  readonly hasInternalTransfers: boolean
  readonly hidesAmounts: boolean
}

const facts = (
  family: ChainFamily,
  symbol: string,
  decimals: number,
  dust: string,
  wrapped: string | null = null,
): ChainFacts => ({
  family,
  symbol,
  decimals,
  dust,
  wrapped,
  spendsTogether: family === 'bitcoin',
  hasInternalTransfers: family === 'evm' || family === 'tron',
  hidesAmounts: family === 'monero',
})

/** BNB is the retired Beacon Chain (BEP2), BSC its smart chain; GNO is Gnosis Chain, MATIC Polygon PoS. */
// prettier-ignore
export const chainFacts = {
  BTC: facts('bitcoin', 'BTC', 8, '0.0005'),
  LTC: facts('bitcoin', 'LTC', 8, '0.3'),
  DOGE: facts('bitcoin', 'DOGE', 8, '150'),
  BCH: facts('bitcoin', 'BCH', 8, '0.05'),
  DASH: facts('bitcoin', 'DASH', 8, '0.8'),
  ZEC: facts('bitcoin', 'ZEC', 8, '0.5'),
  BSV: facts('bitcoin', 'BSV', 8, '1'),
  BTG: facts('bitcoin', 'BTG', 8, '1'),
  XVG: facts('bitcoin', 'XVG', 6, '5000'),
  ETH: facts('evm', 'ETH', 18, '0.01', 'WETH'),
  BSC: facts('evm', 'BNB', 18, '0.03', 'WBNB'),
  MATIC: facts('evm', 'POL', 18, '100', 'WPOL'),
  ARB: facts('evm', 'ETH', 18, '0.01', 'WETH'),
  OP: facts('evm', 'ETH', 18, '0.01', 'WETH'),
  BASE: facts('evm', 'ETH', 18, '0.01', 'WETH'),
  AVAX: facts('evm', 'AVAX', 18, '1.5', 'WAVAX'),
  FTM: facts('evm', 'FTM', 18, '100'),
  GNO: facts('evm', 'XDAI', 18, '25', 'WXDAI'),
  CELO: facts('evm', 'CELO', 18, '100'),
  LINEA: facts('evm', 'ETH', 18, '0.01', 'WETH'),
  ETC: facts('evm', 'ETC', 18, '1.5'),
  ZKSYNC: facts('evm', 'ETH', 18, '0.01', 'WETH'),
  SCROLL: facts('evm', 'ETH', 18, '0.01', 'WETH'),
  MNT: facts('evm', 'MNT', 18, '25', 'WMNT'),
  TRX: facts('tron', 'TRX', 6, '100', 'WTRX'),
  SOL: facts('solana', 'SOL', 9, '0.2', 'WSOL'),
  XRP: facts('ripple', 'XRP', 6, '12'),
  XMR: facts('monero', 'XMR', 12, '0.1'),
  TON: facts('ton', 'TON', 9, '10'),
  ADA: facts('cardano', 'ADA', 6, '50'),
  BNB: facts('cosmos', 'BNB', 8, '0.03'),
  ATOM: facts('cosmos', 'ATOM', 6, '8'),
  DOT: facts('substrate', 'DOT', 10, '8'),
  XLM: facts('stellar', 'XLM', 7, '100'),
  ALGO: facts('algorand', 'ALGO', 6, '150'),
} satisfies Readonly<Record<string, ChainFacts>>

export type ChainCode = keyof typeof chainFacts

/** The facts of a chain by its code in capital letters; undefined where the table does not contain it. */
export function chainFactsOf(code: string): ChainFacts | undefined {
  return Object.hasOwn(chainFacts, code) ? chainFacts[code as ChainCode] : undefined
}
