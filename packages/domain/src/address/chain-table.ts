/**
 * The one table of chains: what an address of each looks like and what its native asset is.
 * The order is the order of detection: where a text fits several chains and the caller named none, the first wins.
 */

/** Changes with every row; recorded in each report so that a decision names the table it was made with. */
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

export interface ChainDefinition {
  readonly code: ChainCode
  readonly name: string
  readonly family: ChainFamily
  /** Names of address formats, as `address-forms.ts` reads them. */
  readonly formats: readonly AddressFormat[]
  /** How a mistyped address is noticed; `none` where the chain has no checksum. */
  readonly checksum: string
  /** Symbol of the native asset. */
  readonly symbol: string
  /** Digits between the base unit and one whole native asset. */
  readonly decimals: number
  /** `{address}` stands for the canonical address; null where no public explorer answers for an address. */
  readonly explorer: string | null
}

export type AddressFormat =
  | 'evm'
  | `base58check:${string}`
  | `segwit:${'bc' | 'ltc' | 'btg'}`
  | 'cashaddr'
  | 'zcash-sapling'
  | 'zcash-unified'
  | 'zcash-tex'
  | 'tron-hex'
  | 'solana'
  | 'ripple-classic'
  | 'ripple-x'
  | 'monero'
  | 'ton-raw'
  | 'ton-friendly'
  | 'cardano-shelley'
  | 'cardano-byron'
  | `bech32:${'bnb' | 'cosmos'}`
  | 'ss58'
  | 'stellar-account'
  | 'stellar-muxed'
  | 'stellar-contract'
  | 'algorand'

/** BNB is the retired Beacon Chain (BEP2), BSC its smart chain; GNO is Gnosis Chain, MATIC Polygon PoS. */
// prettier-ignore
export type ChainCode =
  | 'BTC' | 'LTC' | 'DOGE' | 'BCH' | 'DASH' | 'ZEC' | 'BSV' | 'BTG' | 'XVG'
  | 'ETH' | 'BSC' | 'MATIC' | 'ARB' | 'OP' | 'BASE' | 'AVAX' | 'FTM' | 'GNO' | 'CELO' | 'LINEA' | 'ETC' | 'ZKSYNC' | 'SCROLL' | 'MNT'
  | 'TRX' | 'SOL' | 'XRP' | 'XMR' | 'TON' | 'ADA' | 'BNB' | 'ATOM' | 'DOT' | 'XLM' | 'ALGO'

const BASE58CHECK = 'Base58Check (4 bytes of double SHA-256)'
const SEGWIT = `${BASE58CHECK}; Bech32 and Bech32m`
const EIP55 = 'EIP-55 where the case is mixed, else none'

function bitcoin(
  code: ChainCode,
  name: string,
  formats: readonly AddressFormat[],
  explorer: string,
  rest: Partial<ChainDefinition> = {},
): ChainDefinition {
  return {
    code,
    name,
    family: 'bitcoin',
    formats,
    checksum: BASE58CHECK,
    symbol: code,
    decimals: 8,
    explorer,
    ...rest,
  }
}

function evm(code: ChainCode, name: string, symbol: string, explorer: string): ChainDefinition {
  return { code, name, family: 'evm', formats: ['evm'], checksum: EIP55, symbol, decimals: 18, explorer }
}

/** Every chain, in the order of detection. */
export const chains: readonly ChainDefinition[] = [
  bitcoin(
    'BTC',
    'Bitcoin',
    ['base58check:00', 'base58check:05', 'segwit:bc'],
    'https://mempool.space/address/{address}',
    { checksum: SEGWIT },
  ),
  bitcoin(
    'LTC',
    'Litecoin',
    ['base58check:30', 'base58check:32', 'base58check:05', 'segwit:ltc'],
    'https://litecoinspace.org/address/{address}',
    { checksum: SEGWIT },
  ),
  bitcoin(
    'DOGE',
    'Dogecoin',
    ['base58check:1e', 'base58check:16'],
    'https://dogechain.info/address/{address}',
  ),
  bitcoin(
    'BCH',
    'Bitcoin Cash',
    ['cashaddr', 'base58check:00', 'base58check:05'],
    'https://blockchair.com/bitcoin-cash/address/{address}',
    { checksum: `CashAddr (40-bit BCH code); ${BASE58CHECK}` },
  ),
  bitcoin(
    'DASH',
    'Dash',
    ['base58check:4c', 'base58check:10'],
    'https://blockchair.com/dash/address/{address}',
  ),
  bitcoin(
    'ZEC',
    'Zcash',
    ['base58check:1cb8', 'base58check:1cbd', 'zcash-tex', 'zcash-sapling', 'zcash-unified'],
    'https://blockchair.com/zcash/address/{address}',
    { checksum: `${BASE58CHECK}; Bech32 and Bech32m` },
  ),
  bitcoin(
    'BSV',
    'Bitcoin SV',
    ['base58check:00', 'base58check:05'],
    'https://whatsonchain.com/address/{address}',
  ),
  bitcoin(
    'BTG',
    'Bitcoin Gold',
    ['base58check:26', 'base58check:17', 'segwit:btg'],
    'https://btgexplorer.com/address/{address}',
    { checksum: SEGWIT },
  ),
  bitcoin(
    'XVG',
    'Verge',
    ['base58check:1e', 'base58check:21'],
    'https://verge-blockchain.info/address/{address}',
    { decimals: 6 },
  ),
  evm('ETH', 'Ethereum', 'ETH', 'https://etherscan.io/address/{address}'),
  evm('BSC', 'BNB Smart Chain', 'BNB', 'https://bscscan.com/address/{address}'),
  evm('MATIC', 'Polygon PoS', 'POL', 'https://polygonscan.com/address/{address}'),
  evm('ARB', 'Arbitrum One', 'ETH', 'https://arbiscan.io/address/{address}'),
  evm('OP', 'OP Mainnet', 'ETH', 'https://optimistic.etherscan.io/address/{address}'),
  evm('BASE', 'Base', 'ETH', 'https://basescan.org/address/{address}'),
  evm('AVAX', 'Avalanche C-Chain', 'AVAX', 'https://snowtrace.io/address/{address}'),
  evm('FTM', 'Fantom Opera', 'FTM', 'https://explorer.fantom.network/address/{address}'),
  evm('GNO', 'Gnosis Chain', 'XDAI', 'https://gnosisscan.io/address/{address}'),
  evm('CELO', 'Celo', 'CELO', 'https://celoscan.io/address/{address}'),
  evm('LINEA', 'Linea', 'ETH', 'https://lineascan.build/address/{address}'),
  evm('ETC', 'Ethereum Classic', 'ETC', 'https://etc.blockscout.com/address/{address}'),
  evm('ZKSYNC', 'ZKsync Era', 'ETH', 'https://explorer.zksync.io/address/{address}'),
  evm('SCROLL', 'Scroll', 'ETH', 'https://scrollscan.com/address/{address}'),
  evm('MNT', 'Mantle', 'MNT', 'https://mantlescan.xyz/address/{address}'),
  {
    code: 'TRX',
    name: 'TRON',
    family: 'tron',
    formats: ['base58check:41', 'tron-hex'],
    checksum: `${BASE58CHECK}; none in the 41… hex form`,
    symbol: 'TRX',
    decimals: 6,
    explorer: 'https://tronscan.org/#/address/{address}',
  },
  {
    code: 'SOL',
    name: 'Solana',
    family: 'solana',
    formats: ['solana'],
    checksum: 'none',
    symbol: 'SOL',
    decimals: 9,
    explorer: 'https://solscan.io/account/{address}',
  },
  {
    code: 'XRP',
    name: 'XRP Ledger',
    family: 'ripple',
    formats: ['ripple-classic', 'ripple-x'],
    checksum: BASE58CHECK,
    symbol: 'XRP',
    decimals: 6,
    explorer: 'https://xrpscan.com/account/{address}',
  },
  {
    code: 'XMR',
    name: 'Monero',
    family: 'monero',
    formats: ['monero'],
    checksum: '4 bytes of Keccak-256',
    symbol: 'XMR',
    decimals: 12,
    explorer: null,
  },
  {
    code: 'TON',
    name: 'TON',
    family: 'ton',
    formats: ['ton-friendly', 'ton-raw'],
    checksum: 'CRC-16 in the user-friendly form, none in the raw form',
    symbol: 'TON',
    decimals: 9,
    explorer: 'https://tonviewer.com/{address}',
  },
  {
    code: 'ADA',
    name: 'Cardano',
    family: 'cardano',
    formats: ['cardano-shelley', 'cardano-byron'],
    checksum: 'Bech32 (Shelley); CRC-32 (Byron)',
    symbol: 'ADA',
    decimals: 6,
    explorer: 'https://cardanoscan.io/address/{address}',
  },
  {
    code: 'BNB',
    name: 'BNB Beacon Chain (BEP2)',
    family: 'cosmos',
    formats: ['bech32:bnb'],
    checksum: 'Bech32',
    symbol: 'BNB',
    decimals: 8,
    explorer: 'https://explorer.bnbchain.org/address/{address}',
  },
  {
    code: 'ATOM',
    name: 'Cosmos Hub',
    family: 'cosmos',
    formats: ['bech32:cosmos'],
    checksum: 'Bech32',
    symbol: 'ATOM',
    decimals: 6,
    explorer: 'https://www.mintscan.io/cosmos/address/{address}',
  },
  {
    code: 'DOT',
    name: 'Polkadot',
    family: 'substrate',
    formats: ['ss58'],
    checksum: 'SS58 (2 bytes of BLAKE2b-512)',
    symbol: 'DOT',
    decimals: 10,
    explorer: 'https://polkadot.subscan.io/account/{address}',
  },
  {
    code: 'XLM',
    name: 'Stellar',
    family: 'stellar',
    formats: ['stellar-account', 'stellar-muxed', 'stellar-contract'],
    checksum: 'StrKey (CRC-16)',
    symbol: 'XLM',
    decimals: 7,
    explorer: 'https://stellar.expert/explorer/public/account/{address}',
  },
  {
    code: 'ALGO',
    name: 'Algorand',
    family: 'algorand',
    formats: ['algorand'],
    checksum: '4 bytes of SHA-512/256',
    symbol: 'ALGO',
    decimals: 6,
    explorer: 'https://allo.info/account/{address}',
  },
]

const chainsByCode: ReadonlyMap<string, ChainDefinition> = new Map(chains.map((chain) => [chain.code, chain]))

/** The chain a caller names, in any case; undefined where the code is unknown. */
export function findChain(code: string): ChainDefinition | undefined {
  return chainsByCode.get(code) ?? chainsByCode.get(code.toUpperCase())
}

/** The chain of a code that was checked before; throws on one that was not. */
export function chainOf(code: string): ChainDefinition {
  const chain = chainsByCode.get(code)
  if (chain === undefined) throw new Error(`unsupported_chain: ${code}`)
  return chain
}

/** Link to a public explorer for a canonical address, or null where the chain has none. */
export function explorerUrl(code: ChainCode, canonicalAddress: string): string | null {
  return chainOf(code).explorer?.replace('{address}', canonicalAddress) ?? null
}
