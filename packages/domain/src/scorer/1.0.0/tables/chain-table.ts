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
  /** One transaction spends outputs of several addresses, which probably have one owner. */
  readonly spendsTogether: boolean
  /** Contracts move the native asset in calls that only traces show. */
  readonly hasInternalTransfers: boolean
  readonly hidesAmounts: boolean
}

/** BNB is the retired Beacon Chain (BEP2), BSC its smart chain; GNO is Gnosis Chain, MATIC Polygon PoS. */
// prettier-ignore
export type ChainCode =
  | 'BTC' | 'LTC' | 'DOGE' | 'BCH' | 'DASH' | 'ZEC' | 'BSV' | 'BTG' | 'XVG'
  | 'ETH' | 'BSC' | 'MATIC' | 'ARB' | 'OP' | 'BASE' | 'AVAX' | 'FTM' | 'GNO' | 'CELO' | 'LINEA' | 'ETC' | 'ZKSYNC' | 'SCROLL' | 'MNT'
  | 'TRX' | 'SOL' | 'XRP' | 'XMR' | 'TON' | 'ADA' | 'BNB' | 'ATOM' | 'DOT' | 'XLM' | 'ALGO'

const facts = (family: ChainFamily, symbol: string, decimals: number): ChainFacts => ({
  family,
  symbol,
  decimals,
  spendsTogether: family === 'bitcoin',
  hasInternalTransfers: family === 'evm' || family === 'tron',
  hidesAmounts: family === 'monero',
})

// prettier-ignore
export const chainFacts: Readonly<Record<ChainCode, ChainFacts>> = {
  BTC: facts('bitcoin', 'BTC', 8),
  LTC: facts('bitcoin', 'LTC', 8),
  DOGE: facts('bitcoin', 'DOGE', 8),
  BCH: facts('bitcoin', 'BCH', 8),
  DASH: facts('bitcoin', 'DASH', 8),
  ZEC: facts('bitcoin', 'ZEC', 8),
  BSV: facts('bitcoin', 'BSV', 8),
  BTG: facts('bitcoin', 'BTG', 8),
  XVG: facts('bitcoin', 'XVG', 6),
  ETH: facts('evm', 'ETH', 18),
  BSC: facts('evm', 'BNB', 18),
  MATIC: facts('evm', 'POL', 18),
  ARB: facts('evm', 'ETH', 18),
  OP: facts('evm', 'ETH', 18),
  BASE: facts('evm', 'ETH', 18),
  AVAX: facts('evm', 'AVAX', 18),
  FTM: facts('evm', 'FTM', 18),
  GNO: facts('evm', 'XDAI', 18),
  CELO: facts('evm', 'CELO', 18),
  LINEA: facts('evm', 'ETH', 18),
  ETC: facts('evm', 'ETC', 18),
  ZKSYNC: facts('evm', 'ETH', 18),
  SCROLL: facts('evm', 'ETH', 18),
  MNT: facts('evm', 'MNT', 18),
  TRX: facts('tron', 'TRX', 6),
  SOL: facts('solana', 'SOL', 9),
  XRP: facts('ripple', 'XRP', 6),
  XMR: facts('monero', 'XMR', 12),
  TON: facts('ton', 'TON', 9),
  ADA: facts('cardano', 'ADA', 6),
  BNB: facts('cosmos', 'BNB', 8),
  ATOM: facts('cosmos', 'ATOM', 6),
  DOT: facts('substrate', 'DOT', 10),
  XLM: facts('stellar', 'XLM', 7),
  ALGO: facts('algorand', 'ALGO', 6),
}

/** The facts of a chain by its code in capital letters; undefined where the table does not contain it. */
export function chainFactsOf(code: string): ChainFacts | undefined {
  return Object.hasOwn(chainFacts, code) ? chainFacts[code as ChainCode] : undefined
}
