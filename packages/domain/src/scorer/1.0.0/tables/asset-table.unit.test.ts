import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chains } from '../../../address/chain-formats.js'
import { parseAddress } from '../../../address/parse-address.js'
import {
  baseUnits,
  decimalAmount,
  findAsset,
  isAssetContract,
  isBurnAddress,
  isWrappedCoin,
  listAssets,
  measuredAs,
} from './asset-table.js'

test('every chain has its native asset, and every asset has dust', () => {
  for (const { code, symbol, decimals } of chains)
    expect(findAsset(code, ''), code).toMatchObject({ symbol, decimals, contract: '' })
  for (const asset of listAssets()) expect(asset.dust, `${asset.chain} ${asset.symbol}`).toBeGreaterThan(0n)
})

test('every token is named by the canonical address of its contract', () => {
  for (const { chain, contract, symbol } of listAssets().filter((asset) => asset.contract !== '')) {
    const parsed = parseAddress(contract, chain)
    expect(parsed.ok && parsed.canonical, `${chain} ${symbol}`).toBe(contract)
    expect(isAssetContract(chain, contract)).toBe(true)
  }
})

test('dust is what the published table says', () => {
  const dust = (chain: string, contract = ''): bigint | undefined => findAsset(chain, contract)?.dust
  expect(dust('ETH')).toBe(10n ** 16n)
  expect(dust('BTC')).toBe(50_000n)
  expect(dust('TRX')).toBe(100_000_000n)
  expect(dust('SOL')).toBe(200_000_000n)
  expect(dust('LTC')).toBe(30_000_000n)
  expect(dust('TRX', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(25_000_000n)
})

test('stablecoins count on every chain that has them, and those of one currency are one asset', () => {
  const measured = (chain: string, contract: string) => measuredAs(findAsset(chain, contract)!).symbol
  expect(measured('ETH', '0x6c3ea9036406852006290770bedfcaba0e23a0e8')).toBe('USD')
  expect(measured('TON', '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe')).toBe('USD')
  expect(measured('XRP', 'rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De')).toBe('USD')
  expect(measured('XLM', 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN')).toBe('USD')
  expect(measured('BASE', '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42')).toBe('EUR')
  const rows = listAssets().map(({ chain, contract }) => `${chain} ${contract}`)
  expect(new Set(rows).size).toBe(rows.length)
})

test('a wrapped coin is the native one, so that nobody divides value or dust', () => {
  const measured = (chain: string, contract: string) => measuredAs(findAsset(chain, contract)!)
  const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
  expect(measured('ETH', weth)).toEqual({ ...findAsset('ETH', '')!, factor: 1n })
  expect(measured('GNO', '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d').symbol).toBe('XDAI')
  // On another chain it is a token like others.
  expect(measured('MATIC', '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619').symbol).toBe('WETH')
  for (const { chain, contract } of listAssets().filter((one) => isWrappedCoin(one.chain, one.contract)))
    expect(findAsset(chain, contract)!.decimals, chain).toBe(findAsset(chain, '')!.decimals)
})

test('a token that only calls itself by a known name does not count', () => {
  expect(findAsset('ETH', '0x1111111111111111111111111111111111111111')).toBeUndefined()
  expect(findAsset('BSC', '0xdac17f958d2ee523a2206206994597c13d831ec7')).toBeUndefined()
  expect(isAssetContract('ETH', '')).toBe(false)
})

test('nobody owns the zero address', () => {
  expect(isBurnAddress(`0x${'0'.repeat(40)}`)).toBe(true)
  expect(isBurnAddress(`0x${'1'.repeat(40)}`)).toBe(false)
})

test('amounts are exact both ways', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 40n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      expect(baseUnits(decimalAmount(units, decimals), decimals)).toBe(units)
    }),
  )
  for (const text of ['1e5', '-1', '', '1.', '.5', '1.2345', 'NaN'])
    expect(() => baseUnits(text, 3)).toThrow(RangeError)
})
