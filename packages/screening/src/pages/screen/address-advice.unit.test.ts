import { expect, test } from 'vitest'
import { adviseOn } from './address-advice.js'

const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const GENESIS = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'

test('an address is named with its chain, and with the others it fits', () => {
  expect(adviseOn(GENESIS)).toMatchObject({ kind: 'fits', chain: 'BTC', chainName: 'Bitcoin' })
  expect(adviseOn(LAZARUS)).toMatchObject({ kind: 'fits', chain: 'ETH' })
  const advice = adviseOn(LAZARUS)
  expect(advice.kind === 'fits' && advice.others.length).toBeGreaterThan(5)
  expect(adviseOn(LAZARUS, 'BSC')).toMatchObject({ kind: 'fits', chain: 'BSC', others: [] })
})

test('white space around an address is not a fault', () => {
  expect(adviseOn(`  ${LAZARUS}\n`)).toMatchObject({ kind: 'fits' })
  expect(adviseOn('   ')).toEqual({ kind: 'empty' })
})

test.each<[string, string, RegExp]>([
  ['a cut address', LAZARUS.slice(0, -1), /has 40 hexadecimal digits after it; here are 39/],
  ['a long address', `${LAZARUS}0`, /here are 41/],
  ['one wrong capital letter', LAZARUS.replace('dC57', 'Dc57'), /EIP-55.*lower case/],
  ['one wrong character of Bitcoin', GENESIS.replace('QGefi', 'QGefj'), /checksum.*Copy the address again/],
  ['a transaction of Ethereum', `0x${'ab'.repeat(32)}`, /transaction hash/],
  ['a transaction of Bitcoin', 'ab'.repeat(32), /transaction hash/],
  ['an address without 0x', LAZARUS.slice(2), /Put 0x in front/],
  ['a name', 'vitalik.eth', /^The text is a name, not an address\. A name can lead .* screen that\.$/],
  ['an e-mail address', 'someone@example.com', /e-mail/],
  ['two addresses', `${LAZARUS} ${LAZARUS}`, /one address is screened at a time/],
  ['something else', 'hello', /no supported address/],
])('%s is refused with what helps', (_what, text, expected) => {
  const advice = adviseOn(text)
  expect(advice).toMatchObject({ kind: 'fault', isSecret: false })
  expect(advice.kind === 'fault' && advice.text).toMatch(expected)
})

test('a name is told from a mistake', () => {
  expect(adviseOn('vitalik.eth')).toMatchObject({ kind: 'fault', isName: true })
  expect(adviseOn('vitalik')).toMatchObject({ kind: 'fault', isName: false })
})

test('an address of another chain than the chosen one names those it fits', () => {
  const advice = adviseOn(GENESIS, 'ETH')
  expect(advice.kind === 'fault' && advice.text).toMatch(/not of ETH; it fits BTC.*Let the chain be detected/)
})

test('an API key is recognised and is never repeated', () => {
  const key = `cpl_live_${'a1B2c3D4'.repeat(7)}`
  const advice = adviseOn(key)
  expect(advice).toMatchObject({ kind: 'fault', isSecret: true })
  expect(JSON.stringify(advice)).not.toContain('a1B2')
})
