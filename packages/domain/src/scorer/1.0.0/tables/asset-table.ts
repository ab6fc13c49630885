/**
 * Assets whose transfers count. Anyone can emit a Transfer event, so a token counts by its contract, never by its name.
 * Dust is about 25 US dollars when the table was made; it stays fixed for a version, so that no price decides a report.
 */
import { chainFacts, chainFactsOf } from './chain-table.js'
import { tokenTable } from './token-table.js'

/** Changes with every row; recorded in each report. */
export const ASSET_TABLE_VERSION = '1.0.0'

export interface Asset {
  readonly chain: string
  /** Canonical address of the token's contract; empty for the chain's native asset. */
  readonly contract: string
  readonly symbol: string
  /** Digits between the base unit and one whole. */
  readonly decimals: number
  /** Base units below which value that came in does not count. */
  readonly dust: bigint
}

/** An asset in which amounts are added up: the asset itself, the native one of a wrapped coin, or the one of all stablecoins of a currency. */
export interface MeasuredAsset extends Asset {
  /** Base units of it for one base unit of the asset. */
  readonly factor: bigint
}

/** Stablecoins of one currency on a chain are one asset. */
interface Currency {
  readonly contract: string
  readonly symbol: string
  readonly dust: string
  readonly coins: ReadonlySet<string>
}

const PEGGED_DECIMALS = 18

// prettier-ignore
const currencies: readonly Currency[] = [
  {
    contract: 'usd', symbol: 'USD', dust: '25',
    coins: new Set([
      'USDT', 'USDC', 'USDC.e', 'DAI', 'BUSD', 'TUSD', 'USDP', 'PYUSD', 'RLUSD', 'USDS', 'USDe', 'FDUSD', 'FRAX', 'LUSD', 'GUSD',
      'GHO', 'crvUSD', 'USD1', 'USDbC', 'USDT.e', 'DAI.e', 'cUSD', 'USDD', 'USDG', 'AUSD', 'USDT0', 'MIM', 'sUSD',
    ]),
  },
  { contract: 'eur', symbol: 'EUR', dust: '22', coins: new Set(['EURC', 'cEUR', 'EURe', 'agEUR']) },
]

type TokenRow = readonly [chain: string, contract: string, symbol: string, decimals: number, dust: string]

// prettier-ignore
const tokens: readonly TokenRow[] = [
  ['ETH', '0xdac17f958d2ee523a2206206994597c13d831ec7', 'USDT', 6, '25'],
  ['ETH', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USDC', 6, '25'],
  ['ETH', '0x6b175474e89094c44da98b954eedeac495271d0f', 'DAI', 18, '25'],
  ['ETH', '0x4fabb145d64652a948d72533023f6e7a623c7c53', 'BUSD', 18, '25'],
  ['ETH', '0x0000000000085d4780b73119b644ae5ecd22b376', 'TUSD', 18, '25'],
  ['ETH', '0x8e870d67f660d95d5be530380d0ec0bd388289e1', 'USDP', 18, '25'],
  ['ETH', '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', 'WETH', 18, '0.01'],
  ['ETH', '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', 'WBTC', 8, '0.0005'],
  ['BSC', '0x55d398326f99059ff775485246999027b3197955', 'USDT', 18, '25'],
  ['BSC', '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 'USDC', 18, '25'],
  ['BSC', '0xe9e7cea3dedca5984780bafc599bd69add087d56', 'BUSD', 18, '25'],
  ['BSC', '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c', 'WBNB', 18, '0.03'],
  ['MATIC', '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', 'USDT', 6, '25'],
  ['MATIC', '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', 'USDC.e', 6, '25'],
  ['MATIC', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', 'USDC', 6, '25'],
  ['MATIC', '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063', 'DAI', 18, '25'],
  ['MATIC', '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619', 'WETH', 18, '0.01'],
  ['ARB', '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', 'USDT', 6, '25'],
  ['ARB', '0xaf88d065e77c8cc2239327c5edb3a432268e5831', 'USDC', 6, '25'],
  ['ARB', '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8', 'USDC.e', 6, '25'],
  ['ARB', '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', 'DAI', 18, '25'],
  ['ARB', '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', 'WETH', 18, '0.01'],
  ['OP', '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', 'USDT', 6, '25'],
  ['OP', '0x0b2c639c533813f4aa9d7837caf62653d097ff85', 'USDC', 6, '25'],
  ['OP', '0x4200000000000000000000000000000000000006', 'WETH', 18, '0.01'],
  ['BASE', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'USDC', 6, '25'],
  ['BASE', '0x4200000000000000000000000000000000000006', 'WETH', 18, '0.01'],
  ['AVAX', '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7', 'USDT', 6, '25'],
  ['AVAX', '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e', 'USDC', 6, '25'],
  ['TRX', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'USDT', 6, '25'],
  ['TRX', 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', 'USDC', 6, '25'],
  ['SOL', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB', 'USDT', 6, '25'],
  ['SOL', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'USDC', 6, '25'],
]

/** Addresses without an owner: value sent there is destroyed, value from there is created. */
const burnAddresses: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
  '1111111111111111111114oLvT2',
  '1BitcoinEaterAddressDontSendf59kuE',
  '1CounterpartyXXXXXXXXXXXXXXXUWLpVr',
  '11111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
])

export const isBurnAddress = (canonicalAddress: string): boolean => burnAddresses.has(canonicalAddress)

/** By chain, then by contract. */
const assets: ReadonlyMap<string, ReadonlyMap<string, Asset>> = new Map(
  Object.entries(chainFacts).map(([code, { symbol, decimals, dust }]) => {
    const native = { chain: code, contract: '', symbol, decimals }
    const rows: Asset[] = [
      { ...native, dust: baseUnits(dust, decimals) },
      ...[...tokens, ...tokenTable]
        .filter(([chain]) => chain === code)
        .map(([chain, contract, token, digits, tokenDust]) => ({
          chain,
          contract,
          symbol: token,
          decimals: digits,
          dust: baseUnits(tokenDust, digits),
        })),
    ]
    return [code, new Map(rows.map((asset) => [asset.contract, asset]))]
  }),
)

/** The counted asset with this contract (empty: the native one), or undefined where its transfers do not count. */
export function findAsset(chain: string, contract: string): Asset | undefined {
  return assets.get(chain)?.get(contract)
}

/** Whether the contract is that of the chain's wrapped native coin. */
export const isWrappedCoin = (chain: string, contract: string): boolean =>
  contract !== '' && (findAsset(chain, contract)?.symbol ?? '') === chainFactsOf(chain)?.wrapped

/**
 * The asset in which amounts of an asset are added up. Stablecoins of one currency are one, and a wrapped coin is the native one, so that no
 * one divides dust.
 */
export function measuredAs(asset: Asset): MeasuredAsset {
  if (isWrappedCoin(asset.chain, asset.contract)) return { ...findAsset(asset.chain, '')!, factor: 1n }
  const currency = asset.contract === '' ? undefined : currencies.find(({ coins }) => coins.has(asset.symbol))
  if (currency === undefined) return { ...asset, factor: 1n }
  return {
    chain: asset.chain,
    contract: currency.contract,
    symbol: currency.symbol,
    decimals: PEGGED_DECIMALS,
    dust: baseUnits(currency.dust, PEGGED_DECIMALS),
    factor: 10n ** BigInt(PEGGED_DECIMALS - asset.decimals),
  }
}

/** Whether any token of the chain counts. */
export const hasTokens = (chain: string): boolean => (assets.get(chain)?.size ?? 0) > 1

/** Every asset of the table. */
export const listAssets = (): readonly Asset[] =>
  [...assets.values()].flatMap((byContract) => [...byContract.values()])

/** Whether the address is the contract of a counted token: code, whoever sends to it. */
export const isAssetContract = (chain: string, address: string): boolean =>
  address !== '' && findAsset(chain, address) !== undefined

/** Base units of a plain decimal number; throws on anything else and on more digits than the asset has. */
export function baseUnits(decimal: string, decimals: number): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(decimal)
  if (match === null) throw new RangeError(`not a decimal amount: ${decimal}`)
  const fraction = (match[2] ?? '').replace(/0+$/, '')
  if (fraction.length > decimals) throw new RangeError(`more than ${decimals} decimals: ${decimal}`)
  return BigInt(match[1]! + fraction.padEnd(decimals, '0'))
}

/** An exact amount in whole ones, without zeros at its end: 1500000 with 6 decimals is 1.5. */
export function decimalAmount(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
