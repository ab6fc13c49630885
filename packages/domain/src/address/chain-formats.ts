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
  /** The UTC day of the first block: no transfer is older. A day that is not certain is given too early. */
  readonly firstDay: string
  /** EIP-155; null if the chain has none. */
  readonly chainId: number | null
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

type AddressRow = Omit<ChainDefinition, 'code' | keyof ChainFacts>

const BASE58CHECK = 'Base58Check (4 bytes of double SHA-256)'
const SEGWIT = `${BASE58CHECK}; Bech32 and Bech32m`
const EIP55 = 'EIP-55 where the case is mixed, else none'

function bitcoin(
  name: string,
  firstDay: string,
  formats: readonly AddressFormat[],
  explorer: string,
  checksum = BASE58CHECK,
): AddressRow {
  return { name, formats, checksum, explorer, firstDay, chainId: null }
}

function evm(name: string, firstDay: string, chainId: number, explorer: string): AddressRow {
  return { name, formats: ['evm'], checksum: EIP55, explorer, firstDay, chainId }
}

// In the order of detection. First days are those of the genesis or first block of each chain in its own explorer and client.
const rows: Readonly<Record<ChainCode, AddressRow>> = {
  BTC: bitcoin(
    'Bitcoin',
    '2009-01-03',
    ['base58check:00', 'base58check:05', 'segwit:bc'],
    'https://mempool.space/address/{address}',
    SEGWIT,
  ),
  LTC: bitcoin(
    'Litecoin',
    '2011-10-07',
    ['base58check:30', 'base58check:32', 'base58check:05', 'segwit:ltc'],
    'https://litecoinspace.org/address/{address}',
    SEGWIT,
  ),
  DOGE: bitcoin(
    'Dogecoin',
    '2013-12-06',
    ['base58check:1e', 'base58check:16'],
    'https://dogechain.info/address/{address}',
  ),
  BCH: bitcoin(
    'Bitcoin Cash',
    '2009-01-03',
    ['cashaddr', 'base58check:00', 'base58check:05'],
    'https://blockchair.com/bitcoin-cash/address/{address}',
    `CashAddr (40-bit BCH code); ${BASE58CHECK}`,
  ),
  DASH: bitcoin(
    'Dash',
    '2014-01-18',
    ['base58check:4c', 'base58check:10'],
    'https://blockchair.com/dash/address/{address}',
  ),
  ZEC: bitcoin(
    'Zcash',
    '2016-10-28',
    ['base58check:1cb8', 'base58check:1cbd', 'zcash-tex', 'zcash-sapling', 'zcash-unified'],
    'https://blockchair.com/zcash/address/{address}',
    `${BASE58CHECK}; Bech32 and Bech32m`,
  ),
  BSV: bitcoin(
    'Bitcoin SV',
    '2009-01-03',
    ['base58check:00', 'base58check:05'],
    'https://whatsonchain.com/address/{address}',
  ),
  BTG: bitcoin(
    'Bitcoin Gold',
    '2009-01-03',
    ['base58check:26', 'base58check:17', 'segwit:btg'],
    'https://btgexplorer.com/address/{address}',
    SEGWIT,
  ),
  XVG: bitcoin(
    'Verge',
    '2014-10-09',
    ['base58check:1e', 'base58check:21'],
    'https://verge-blockchain.info/address/{address}',
  ),
  ETH: evm('Ethereum', '2015-07-30', 1, 'https://etherscan.io/address/{address}'),
  BSC: evm('BNB Smart Chain', '2020-04-20', 56, 'https://bscscan.com/address/{address}'),
  MATIC: evm('Polygon PoS', '2020-05-30', 137, 'https://polygonscan.com/address/{address}'),
  ARB: evm('Arbitrum One', '2021-05-28', 42_161, 'https://arbiscan.io/address/{address}'),
  OP: evm('OP Mainnet', '2021-01-01', 10, 'https://optimistic.etherscan.io/address/{address}'),
  BASE: evm('Base', '2023-06-15', 8_453, 'https://basescan.org/address/{address}'),
  AVAX: evm('Avalanche C-Chain', '2020-09-01', 43_114, 'https://snowtrace.io/address/{address}'),
  FTM: evm('Fantom Opera', '2019-12-01', 250, 'https://explorer.fantom.network/address/{address}'),
  GNO: evm('Gnosis Chain', '2018-10-01', 100, 'https://gnosisscan.io/address/{address}'),
  CELO: evm('Celo', '2020-04-01', 42_220, 'https://celoscan.io/address/{address}'),
  LINEA: evm('Linea', '2022-12-01', 59_144, 'https://lineascan.build/address/{address}'),
  ETC: evm('Ethereum Classic', '2015-07-30', 61, 'https://etc.blockscout.com/address/{address}'),
  ZKSYNC: evm('ZKsync Era', '2023-02-01', 324, 'https://explorer.zksync.io/address/{address}'),
  SCROLL: evm('Scroll', '2023-10-01', 534_352, 'https://scrollscan.com/address/{address}'),
  MNT: evm('Mantle', '2023-06-01', 5_000, 'https://mantlescan.xyz/address/{address}'),
  TRX: {
    name: 'TRON',
    formats: ['base58check:41', 'tron-hex'],
    checksum: `${BASE58CHECK}; none in the 41… hex form`,
    explorer: 'https://tronscan.org/#/address/{address}',
    firstDay: '2018-06-25',
    chainId: null,
  },
  SOL: {
    name: 'Solana',
    formats: ['solana'],
    checksum: 'none',
    explorer: 'https://solscan.io/account/{address}',
    firstDay: '2020-03-16',
    chainId: null,
  },
  XRP: {
    name: 'XRP Ledger',
    formats: ['ripple-classic', 'ripple-x'],
    checksum: BASE58CHECK,
    explorer: 'https://xrpscan.com/account/{address}',
    firstDay: '2012-06-01',
    chainId: null,
  },
  XMR: {
    name: 'Monero',
    formats: ['monero'],
    checksum: '4 bytes of Keccak-256',
    explorer: null,
    firstDay: '2014-04-18',
    chainId: null,
  },
  TON: {
    name: 'TON',
    formats: ['ton-friendly', 'ton-raw'],
    checksum: 'CRC-16 in the user-friendly form, none in the raw form',
    explorer: 'https://tonviewer.com/{address}',
    firstDay: '2019-11-01',
    chainId: null,
  },
  ADA: {
    name: 'Cardano',
    formats: ['cardano-shelley', 'cardano-byron'],
    checksum: 'Bech32 (Shelley); CRC-32 (Byron)',
    explorer: 'https://cardanoscan.io/address/{address}',
    firstDay: '2017-09-23',
    chainId: null,
  },
  BNB: {
    name: 'BNB Beacon Chain (BEP2)',
    formats: ['bech32:bnb'],
    checksum: 'Bech32',
    explorer: 'https://explorer.bnbchain.org/address/{address}',
    firstDay: '2019-04-01',
    chainId: null,
  },
  ATOM: {
    name: 'Cosmos Hub',
    formats: ['bech32:cosmos'],
    checksum: 'Bech32',
    explorer: 'https://www.mintscan.io/cosmos/address/{address}',
    firstDay: '2019-03-13',
    chainId: null,
  },
  DOT: {
    name: 'Polkadot',
    formats: ['ss58'],
    checksum: 'SS58 (2 bytes of BLAKE2b-512)',
    explorer: 'https://polkadot.subscan.io/account/{address}',
    firstDay: '2020-05-01',
    chainId: null,
  },
  XLM: {
    name: 'Stellar',
    formats: ['stellar-account', 'stellar-muxed', 'stellar-contract'],
    checksum: 'StrKey (CRC-16)',
    explorer: 'https://stellar.expert/explorer/public/account/{address}',
    firstDay: '2015-09-01',
    chainId: null,
  },
  ALGO: {
    name: 'Algorand',
    formats: ['algorand'],
    checksum: '4 bytes of SHA-512/256',
    explorer: 'https://allo.info/account/{address}',
    firstDay: '2019-06-01',
    chainId: null,
  },
}

/** Every chain, in the order of detection. */
export const chains: readonly ChainDefinition[] = (Object.keys(rows) as ChainCode[]).map((code) => ({
  code,
  ...rows[code],
  ...chainFacts[code],
}))

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
