import { describe, expect, test } from 'vitest'
import { addressesIn } from './addresses-in-text.js'

const BTC = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu'
const SEGWIT = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const TRX = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const SOL = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const DOT = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY'
const TON = 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF'
const BCH = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'

describe('an address in a remark is found', () => {
  test.each([
    ['after a ticker', `Digital Currency Address - XBT ${BTC}.`, [[BTC, 'XBT']]],
    ['after a colon and before a bracket', `(ETH wallet:${ETH})`, [[ETH, 'ETH']]],
    [
      'by itself, if it can be nothing else',
      `${TRX}; ${SEGWIT}`,
      [
        [TRX, null],
        [SEGWIT, null],
      ],
    ],
    ['in another case', `Ethereum ${ETH.replace('aA', 'AA')}`, [[ETH.toLowerCase(), null]]],
    ['without 0x', `ETH wallet ${ETH.slice(2)}`, [[ETH.toLowerCase(), 'ETH']]],
    ['over two lines', `XBT wallet: ${BTC.slice(0, 17)}\n   ${BTC.slice(17)};`, [[BTC, 'XBT']]],
    [
      'over lines, with hyphens',
      `Wallet ${SEGWIT.slice(0, 20)}-\n${SEGWIT.slice(20, 33)}-\n${SEGWIT.slice(33)}`,
      [[SEGWIT, null]],
    ],
    ['with characters that nobody sees', `XBT ${BTC.slice(0, 9)}\u200b\u00ad${BTC.slice(9)}`, [[BTC, 'XBT']]],
    ['glued to words', `XBTwallet${BTC}owner`, [[BTC, null]]],
    ['with its prefix', `BCH ${BCH}`, [[BCH, 'BCH']]],
    ['after a hyphen', `XBT-${BTC}`, [[BTC, 'XBT']]],
    ['with a hyphen of its own', `Cryptocurrency address ${TON}`, [[TON, null]]],
    [
      'without a checksum, after a word that announces it',
      `Solana wallet address: ${SOL}`,
      [[SOL, 'Solana']],
    ],
    ['with a weak checksum, after a ticker', `DOT ${DOT}`, [[DOT, 'DOT']]],
    [
      'in an enumeration',
      `Wallet addresses: ${BTC}, ${SEGWIT}; and ${SOL}`,
      [
        [BTC, null],
        [SEGWIT, null],
        [SOL, null],
      ],
    ],
    [
      'each after its own ticker',
      `XBT ${BTC}; USDT ${TRX}`,
      [
        [BTC, 'XBT'],
        [TRX, 'USDT'],
      ],
    ],
  ])('%s', (_where, text, expected) => {
    const { found, unreadable } = addressesIn(text)
    expect(found.map(({ address, ticker }) => [address, ticker])).toEqual(expected)
    expect(unreadable).toEqual([])
  })
})

describe('what only looks like an address is told', () => {
  test.each([
    ['a misprinted one', `XBT ${BTC.slice(0, -1)}v`, 'bad checksum'],
    ['a piece of one', `Wallet ${BTC.slice(0, 20)} (see the annex)`, 'a piece of an address'],
    ['one that other characters divide', `XBT ${BTC.slice(0, 10)}§§§§${BTC.slice(14)}`, 'a garbled address'],
    ['one in small pieces', `Wallet:${BTC.slice(0, 9)}??${BTC.slice(11, 20)}#${BTC.slice(21)}.`, 'a garbled'],
    ['one that is cut off', `Wallet ${ETH.slice(0, -3)}`, 'bad format'],
    ['32 bytes that nothing introduces', `Reference ${SOL}`, 'nothing says that this is an address of SOL'],
    [
      'a weak checksum that nothing introduces',
      `Reference ${DOT}`,
      'nothing says that this is an address of DOT',
    ],
  ])('%s', (_what, text, reason) => {
    const { found, unreadable } = addressesIn(text)
    expect(found).toEqual([])
    expect(unreadable).toEqual([expect.stringContaining(reason)])
  })
})

test.each([
  'Passport no. AB1234567, national identification number 12345678901234567890123456',
  'The hash 0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 of a wallet file',
  'The wallet of the exchange (Regulation 2019/796/CFSP, see https://example.org/L-1/2019/796/annex-of-wallets)',
  'Wallet: donaudampfschifffahrtsgesellschaft',
  'IBAN DE89370400440532013000, company number HRB 123456 of the address Hauptstrasse 1',
  'www.internationalcryptocurrencyexchangehouse.example',
])('is not an address and does not look like one: %s', (text) => {
  expect(addressesIn(text)).toEqual({ found: [], unreadable: [] })
})
