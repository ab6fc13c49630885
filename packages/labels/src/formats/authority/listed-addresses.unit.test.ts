import { describe, expect, test } from 'vitest'
import { listedAddresses } from './listed-addresses.js'

const BTC = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu'
const SEGWIT = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const EVM = ETH.toLowerCase()
const TRX = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const SOL = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TON = 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF'

const RAW_TON = '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e'

const read = (cell: string, ticker = ''): readonly [readonly string[], string | null] => {
  const { addresses, unreadable } = listedAddresses(cell, ticker)
  return [addresses.map(({ canonical }) => canonical), unreadable]
}

describe('a cell of a designating row is read', () => {
  test.each<[string, string, readonly string[]]>([
    ['with a wrong EIP-55 case', ETH.replace('aA', 'AA'), [EVM]],
    ['without 0x', ETH.slice(2), [EVM]],
    ['with spaces around and inside', ` ${EVM.slice(0, 20)}  ${EVM.slice(20)}\t`, [EVM]],
    ['with characters that nobody sees', `\ufeff${BTC.slice(0, 9)}\u200b\u00ad${BTC.slice(9)}\u2060`, [BTC]],
    ['with dashes', `${BTC.slice(0, 9)}-${BTC.slice(9, 20)}–${BTC.slice(20)}`, [BTC]],
    ['with dashes of its own', TON, [RAW_TON]],
    [
      'over several lines',
      `${SEGWIT.slice(0, 15)}\n  ${SEGWIT.slice(15, 30)}\r\n${SEGWIT.slice(30)}`,
      [SEGWIT],
    ],
    ['in capitals', SEGWIT.toUpperCase(), [SEGWIT]],
    ['in full-width digits', EVM.replaceAll('5', '５'), [EVM]],
    ['with a second one', `${BTC}; ${TRX}`, [BTC, TRX]],
    ['with a second one and words', `XBT: ${BTC} and ETH ${EVM} (2024)`, [BTC, EVM]],
    ['glued to words', `wallet${BTC}owner`, [BTC]],
    ['glued to a ticker', `ETH${EVM}`, [EVM]],
    ['glued to another', `${BTC}${TRX}`, [BTC, TRX]],
    ['glued to more digits, by its checksum', `${ETH}beef`, [EVM]],
    ['as a link', `https://etherscan.io/address/${EVM}`, [EVM]],
    ['with a full stop', `${SOL}.`, [SOL]],
  ])('%s', (_how, cell, expected) => {
    expect(read(cell)).toEqual([expected, null])
  })

  test('on every key that it can have where no ticker decides', () => {
    expect(read(TRX, 'XBT')).toEqual([[TRX], null])
    expect(read(TRX, 'NOSUCHCOIN')).toEqual([[TRX], null])
  })
})

describe('what of a cell cannot be read is told', () => {
  const misprint = `${BTC.slice(0, -1)}v`
  test.each<[string, string, readonly string[], string]>([
    ['nothing', '', [], ''],
    ['a misprint', misprint, [], misprint],
    ['a digit too few', EVM.slice(0, -1), [], EVM.slice(0, -1)],
    ['a payment id', 'ab'.repeat(32), [], 'ab'.repeat(32)],
    ['a word', 'see annex', [], 'see annex'],
    ['a misprint after an address', `${TRX} ${misprint}`, [TRX], misprint],
    [
      'a misprint in pieces after an address',
      `${TRX} ${misprint.slice(0, 12)} ${misprint.slice(12, 24)} ${misprint.slice(24)}`,
      [TRX],
      `${misprint.slice(0, 12)} ${misprint.slice(12, 24)}`,
    ],
    ['an unproven end', `${EVM}beef`, [], `${EVM}beef`],
    ['a very long word', 'x1'.repeat(5_000), [], 'x1'.repeat(5_000)],
  ])('%s', (_what, cell, addresses, unreadable) => {
    expect(read(cell)).toEqual([addresses, unreadable])
  })
})
