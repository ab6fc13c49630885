import { findChain } from '@cupel/domain'
import { describe, expect, test } from 'vitest'
import { ChainDataConfigurationError, parseConfiguration } from './configuration.js'
import { describePublicProviders, publicProviders } from './public-endpoints.js'

const provider = {
  name: 'own-node',
  kind: 'evm-rpc',
  chain: 'eth',
  url: 'https://node.example/v3/secret-key',
  headers: { authorization: 'Bearer secret-key' },
}
const parse = (...providers: object[]) => parseConfiguration(JSON.stringify({ providers }))

test('a provider is read, its chain in any case', () => {
  expect(parse(provider)).toMatchObject([{ name: 'own-node', chain: 'ETH', kind: 'evm-rpc', query: {} }])
  expect(parse()).toEqual([])
})

describe('what cannot work is refused by the place where it stands, without a secret', () => {
  test.each<[string, object[], string]>([
    ['an unknown kind', [{ ...provider, kind: 'graphql' }], 'providers.0.kind'],
    ['an unknown chain', [{ ...provider, chain: 'NOVEL' }], 'providers.0.chain'],
    ['a kind that cannot be asked for the chain', [{ ...provider, chain: 'BTC' }], 'providers.0.chain'],
    [
      'a chain that could not be told from another',
      [{ ...provider, kind: 'etherscan', chain: 'AVAX' }],
      'providers.0.chain',
    ],
    ['another scheme', [{ ...provider, url: 'file:///etc/passwd' }], 'providers.0.url'],
    [
      'a password in the URL',
      [{ ...provider, url: 'https://me:secret-key@node.example' }],
      'providers.0.url',
    ],
    ['a name that reports could not show', [{ ...provider, name: 'Own Node' }], 'providers.0.name'],
    ['a name given twice', [provider, provider], 'providers.1.name'],
    ['an unknown field', [{ ...provider, apikey: 'secret-key' }], 'providers.0'],
    [
      'too many for one chain',
      Array.from({ length: 6 }, (_, index) => ({ ...provider, name: `node-${index}` })),
      'providers.5.chain',
    ],
  ])('%s', (_name, providers, place) => {
    let message = ''
    try {
      parse(...providers)
    } catch (error) {
      expect(error).toBeInstanceOf(ChainDataConfigurationError)
      message = (error as Error).message
    }
    expect(message).toContain(place)
    expect(message).not.toContain('secret-key')
  })

  test('what is not JSON', () => {
    expect(() => parseConfiguration('{')).toThrow('not JSON')
  })

  test('a setting given twice, with its place', () => {
    const twice = '{"providers":[{"name":"a","url":"https://one.example","url":"https://two.example"}]}'
    expect(() => parseConfiguration(twice)).toThrow('not clear at /providers/0/url: ')
  })
})

test('every public endpoint would pass as a configured one, speaks TLS and is named before it is asked', () => {
  const rows = publicProviders.map(({ url, ...rest }) => ({ ...rest, url: url.href }))
  expect(parse(...rows)).toHaveLength(publicProviders.length)
  expect(publicProviders.every(({ url }) => url.protocol === 'https:')).toBe(true)
  const lines = describePublicProviders().join('\n')
  for (const { chain, url } of publicProviders) {
    expect(lines).toContain(url.origin)
    expect(lines).toContain(findChain(chain)!.name)
  }
})

test('two providers must agree only on chains of which two can give histories', () => {
  const explorer = { ...provider, kind: 'etherscan', name: 'first' }
  const second = { ...explorer, name: 'second' }
  const agreed = (...providers: object[]) =>
    parseConfiguration(JSON.stringify({ providers, agree: { eth: 2 } }))
  const other = { ...explorer, name: 'other', chain: 'BSC' }
  expect(agreed(explorer, second, other).map(({ agree }) => agree)).toEqual([2, 2, undefined])
  expect(() => agreed(explorer, provider)).toThrow(
    'agree.ETH: two providers of the chain must give histories',
  )
  expect(() => parseConfiguration(JSON.stringify({ providers: [], agree: { eth: 3 } }))).toThrow('agree.eth')
})
