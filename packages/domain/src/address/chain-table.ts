/**
 * The address formats of each chain. The scorer's table has the family and the native asset of each. The order is the order of detection:
 * if a text fits several chains and the caller named none, the first wins.
 */
import { chainFacts, type ChainCode, type ChainFacts } from '../scorer/index.js'

export interface ChainDefinition extends ChainFacts {
  readonly code: ChainCode
  readonly name: string
  /** Names of address formats, as `address-forms.ts` reads them. */
  readonly formats: readonly AddressFormat[]
  /** How a mistyped address is detected; `none` if the chain has no checksum. */
  readonly checksum: string
  /** `{address}` stands for the canonical address; null if no public explorer shows addresses. */
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

type AddressRow = Omit<ChainDefinition, keyof ChainFacts>

const BASE58CHECK = 'Base58Check (4 bytes of double SHA-256)'
const SEGWIT = `${BASE58CHECK}; Bech32 and Bech32m`
const EIP55 = 'EIP-55 where the case is mixed, else none'

function bitcoin(
  code: ChainCode,
  name: string,
  formats: readonly AddressFormat[],
  explorer: string,
  checksum = BASE58CHECK,
): AddressRow {
  return { code, name, formats, checksum, explorer }
}

function evm(code: ChainCode, name: string, explorer: string): AddressRow {
  return { code, name, formats: ['evm'], checksum: EIP55, explorer }
}

// In the order of detection.
const rows: readonly AddressRow[] = [
  bitcoin(
    'BTC',
    'Bitcoin',
    ['base58check:00', 'base58check:05', 'segwit:bc'],
    'https://mempool.space/address/{address}',
    SEGWIT,
  ),
  bitcoin(
    'LTC',
    'Litecoin',
    ['base58check:30', 'base58check:32', 'base58check:05', 'segwit:ltc'],
    'https://litecoinspace.org/address/{address}',
    SEGWIT,
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
    `CashAddr (40-bit BCH code); ${BASE58CHECK}`,
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
    `${BASE58CHECK}; Bech32 and Bech32m`,
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
    SEGWIT,
  ),
  bitcoin(
    'XVG',
    'Verge',
    ['base58check:1e', 'base58check:21'],
    'https://verge-blockchain.info/address/{address}',
  ),
  evm('ETH', 'Ethereum', 'https://etherscan.io/address/{address}'),
  evm('BSC', 'BNB Smart Chain', 'https://bscscan.com/address/{address}'),
  evm('MATIC', 'Polygon PoS', 'https://polygonscan.com/address/{address}'),
  evm('ARB', 'Arbitrum One', 'https://arbiscan.io/address/{address}'),
  evm('OP', 'OP Mainnet', 'https://optimistic.etherscan.io/address/{address}'),
  evm('BASE', 'Base', 'https://basescan.org/address/{address}'),
  evm('AVAX', 'Avalanche C-Chain', 'https://snowtrace.io/address/{address}'),
  evm('FTM', 'Fantom Opera', 'https://explorer.fantom.network/address/{address}'),
  evm('GNO', 'Gnosis Chain', 'https://gnosisscan.io/address/{address}'),
  evm('CELO', 'Celo', 'https://celoscan.io/address/{address}'),
  evm('LINEA', 'Linea', 'https://lineascan.build/address/{address}'),
  evm('ETC', 'Ethereum Classic', 'https://etc.blockscout.com/address/{address}'),
  evm('ZKSYNC', 'ZKsync Era', 'https://explorer.zksync.io/address/{address}'),
  evm('SCROLL', 'Scroll', 'https://scrollscan.com/address/{address}'),
  evm('MNT', 'Mantle', 'https://mantlescan.xyz/address/{address}'),
  {
    code: 'TRX',
    name: 'TRON',
    formats: ['base58check:41', 'tron-hex'],
    checksum: `${BASE58CHECK}; none in the 41… hex form`,
    explorer: 'https://tronscan.org/#/address/{address}',
  },
  {
    code: 'SOL',
    name: 'Solana',
    formats: ['solana'],
    checksum: 'none',
    explorer: 'https://solscan.io/account/{address}',
  },
  {
    code: 'XRP',
    name: 'XRP Ledger',
    formats: ['ripple-classic', 'ripple-x'],
    checksum: BASE58CHECK,
    explorer: 'https://xrpscan.com/account/{address}',
  },
  {
    code: 'XMR',
    name: 'Monero',
    formats: ['monero'],
    checksum: '4 bytes of Keccak-256',
    explorer: null,
  },
  {
    code: 'TON',
    name: 'TON',
    formats: ['ton-friendly', 'ton-raw'],
    checksum: 'CRC-16 in the user-friendly form, none in the raw form',
    explorer: 'https://tonviewer.com/{address}',
  },
  {
    code: 'ADA',
    name: 'Cardano',
    formats: ['cardano-shelley', 'cardano-byron'],
    checksum: 'Bech32 (Shelley); CRC-32 (Byron)',
    explorer: 'https://cardanoscan.io/address/{address}',
  },
  {
    code: 'BNB',
    name: 'BNB Beacon Chain (BEP2)',
    formats: ['bech32:bnb'],
    checksum: 'Bech32',
    explorer: 'https://explorer.bnbchain.org/address/{address}',
  },
  {
    code: 'ATOM',
    name: 'Cosmos Hub',
    formats: ['bech32:cosmos'],
    checksum: 'Bech32',
    explorer: 'https://www.mintscan.io/cosmos/address/{address}',
  },
  {
    code: 'DOT',
    name: 'Polkadot',
    formats: ['ss58'],
    checksum: 'SS58 (2 bytes of BLAKE2b-512)',
    explorer: 'https://polkadot.subscan.io/account/{address}',
  },
  {
    code: 'XLM',
    name: 'Stellar',
    formats: ['stellar-account', 'stellar-muxed', 'stellar-contract'],
    checksum: 'StrKey (CRC-16)',
    explorer: 'https://stellar.expert/explorer/public/account/{address}',
  },
  {
    code: 'ALGO',
    name: 'Algorand',
    formats: ['algorand'],
    checksum: '4 bytes of SHA-512/256',
    explorer: 'https://allo.info/account/{address}',
  },
]

/** Every chain, in the order of detection. */
export const chains: readonly ChainDefinition[] = rows.map((row) => ({ ...row, ...chainFacts[row.code] }))

const chainsByCode: ReadonlyMap<string, ChainDefinition> = new Map(chains.map((chain) => [chain.code, chain]))

/** The chain that a caller names, in any case; undefined if the code is unknown. */
export function findChain(code: string): ChainDefinition | undefined {
  return chainsByCode.get(code) ?? chainsByCode.get(upperAscii(code))
}

/** Folds only the letters a to z. Unicode folds more: `ſ` would become S, and `baſe` the chain BASE. */
export const upperAscii = (text: string): string =>
  text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

/** The chain of a checked code; throws on an unknown one. */
export function chainOf(code: string): ChainDefinition {
  const chain = chainsByCode.get(code)
  if (chain === undefined) throw new Error(`unsupported_chain: ${code}`)
  return chain
}
