import { expect, test } from 'vitest'
import { parseConfiguration } from '../index.js'
import { countedNames } from './counted-names.js'

const at = (name: string, chain: string, rest: object = {}) => ({
  ...{ name, kind: 'etherscan', chain, url: 'https://api.example.com/v2/api', query: { apikey: 'one' } },
  ...rest,
})
const namesOf = (...providers: readonly object[]) => {
  const countedAs = countedNames(parseConfiguration(JSON.stringify({ providers })))
  return providers.map((one) => countedAs((one as { name: string }).name))
}

test('one key at one host is one, for all its chains', () => {
  const others = [at('matic', 'MATIC'), at('other-path', 'ARB', { url: 'https://api.example.com/api' })]
  expect(namesOf(at('eth', 'ETH'), ...others)).toEqual(['eth', 'eth', 'eth'])
})

test('so is a host that is asked without a key', () => {
  const open = { query: {} }
  expect(namesOf(at('eth', 'ETH', open), at('matic', 'MATIC', open))).toEqual(['eth', 'eth'])
})

test('the order of what is sent means nothing', () => {
  const sent = { query: { a: '1', apikey: 'one' }, headers: { A: '1', B: '2' } }
  const same = { query: { apikey: 'one', a: '1' }, headers: { B: '2', A: '1' } }
  expect(namesOf(at('eth', 'ETH', sent), at('matic', 'MATIC', same))).toEqual(['eth', 'eth'])
})

test.each([
  ['another key', { query: { apikey: 'two' } }],
  ['a key in a header', { query: {}, headers: { Authorization: 'one' } }],
  ['another host', { url: 'https://other.example.com/v2/api' }],
  ['another port', { url: 'https://api.example.com:8443/v2/api' }],
])('%s is another one', (_, rest) => {
  expect(namesOf(at('eth', 'ETH'), at('matic', 'MATIC', rest))).toEqual(['eth', 'matic'])
})

test('a name that the file does not have counts by itself', () => {
  expect(countedNames([])('eth')).toBe('eth')
})
