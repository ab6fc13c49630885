import { describe, expect, test } from 'vitest'
import { chains } from './chain-formats.js'
import { encodeBase58Check } from './base58-addresses.js'
import { toEip55 } from './evm-address.js'
import { addressOnChains, parseAddress, parseListedAddress, type ParsedAddress } from './parse-address.js'

function accepted(text: string, chain?: string): ParsedAddress {
  const parsed = parseAddress(text, chain)
  if (!parsed.ok) throw new Error(`${text} refused: ${parsed.code} ${parsed.reason}`)
  return parsed
}

/** Published examples of the formats' own specifications: text, chain it is detected as. */
const published: readonly (readonly [text: string, chain: string])[] = [
  // BIP-173 and BIP-350
  ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'BTC'],
  ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'BTC'],
  ['bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3', 'BTC'],
  ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'BTC'],
  ['bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y', 'BTC'],
  ['BC1SW50QGDZ25J', 'BTC'],
  // CashAddr
  ['bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', 'BCH'],
  ['BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A', 'BCH'],
  ['ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq', 'BCH'],
  // EIP-55
  ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ETH'],
  ['0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', 'ETH'],
  ['0x52908400098527886E0F7030069857D2E4169EE7', 'ETH'],
  ['0xde709f2102306220921060314715629080e2fb77', 'ETH'],
  ['0XDE709F2102306220921060314715629080E2FB77', 'ETH'],
  // XLS-5
  ['r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59', 'XRP'],
  ['X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ', 'XRP'],
  ['X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu', 'XRP'],
  // CIP-19
  [
    'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
    'ADA',
  ],
  ['addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k', 'ADA'],
  ['addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8', 'ADA'],
  ['stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw', 'ADA'],
  ['Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi', 'ADA'],
  // SEP-23
  ['GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', 'XLM'],
  ['MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', 'XLM'],
  // ZIP-32, ZIP-320
  ['zs1z7rejlpsa98s2rrrfkwmaxu53e4ue0ulcrw0h4x5g8jl04tak0d3mm47vdtahatqrlkngh9slya', 'ZEC'],
  ['t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC', 'ZEC'],
  ['tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte', 'ZEC'],
  // ZIP-316
  [
    'u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf',
    'ZEC',
  ],
  // TON documentation
  ['0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e', 'TON'],
  ['EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF', 'TON'],
  ['UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA', 'TON'],
  ['EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF', 'TON'],
  // Monero documentation
  ['4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge', 'XMR'],
  [
    '4LL9oSLmtpccfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2bYXZKKQePHES9khPK',
    'XMR',
  ],
  ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TRX'],
  ['41a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'TRX'],
  ['15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5', 'DOT'],
  ['5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'DOT'],
  ['HNZata7iMYWmk5RvZRTiAsSDhV8366zq2YGb3tLH5Upf74F', 'DOT'],
  ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ', 'ALGO'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'SOL'],
  ['11111111111111111111111111111111', 'SOL'],
]

test.each(published)('%s is detected as %s', (text, chain) => {
  const parsed = parseAddress(text)
  expect(parsed.ok ? parsed.chain : `${parsed.reason}`).toBe(chain)
})

/** Published test vectors of ZIP-316. */
const UNIFIED = {
  p2pkh:
    'u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf',
  threePools:
    'u1pg2aaph7jp8rpf6yhsza25722sg5fcn3vaca6ze27hqjw7jvvhhuxkpcg0ge9xh6drsgdkda8qjq5chpehkcpxf87rnjryjqwymdheptpvnljqqrjqzjwkc2ma6hcq666kgwfytxwac8eyex6ndgr6ezte66706e3vaqrd25dzvzkc69kw0jgywtd0cmq52q5lkw6uh7hyvzjse8ksx',
  shielded:
    'u1ay3aawlldjrmxqnjf5medr5ma6p3acnet464ht8lmwplq5cd3ugytcmlf96rrmtgwldc75x94qn4n8pgen36y8tywlq6yjk7lkf3fa8wzjrav8z2xpxqnrnmjxh8tmz6jhfh425t7f3vy6p4pd3zmqayq49efl2c4xydc0gszg660q9p',
}

describe('forms that mean one address', () => {
  test.each([
    [
      'CashAddr and legacy',
      'BCH',
      'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
    ],
    [
      'CashAddr and legacy script',
      'BCH',
      'ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
      '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC',
    ],
    [
      'X-address and classic',
      'XRP',
      'X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ',
      'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59',
    ],
    [
      'X-address with tag and classic',
      'XRP',
      'X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu',
      'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59',
    ],
    [
      'hex and Base58Check',
      'TRX',
      '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    ],
    [
      'hex in upper case',
      'TRX',
      '41A614F803B6FD780986A42C78EC9C7F77E6DED13C',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    ],
    [
      'TON bounceable and raw',
      'TON',
      'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF',
      '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e',
    ],
    [
      'TON non-bounceable and raw',
      'TON',
      'UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA',
      '0:CA6E321C7CCE9ECEDF0A8CA2492EC8592494AA5FB5CE0387DFF96EF6AF982A3E',
    ],
    [
      'muxed and plain account',
      'XLM',
      'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
      'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    ],
    [
      'integrated and standard',
      'XMR',
      '4LL9oSLmtpccfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2bYXZKKQePHES9khPK',
      '4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge',
    ],
    [
      'TEX and t1',
      'ZEC',
      'tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte',
      't1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC',
    ],
    [
      'SS58 of a Substrate network and of Polkadot',
      'DOT',
      '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY',
      '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5',
    ],
    [
      'SS58 of Kusama and of Polkadot',
      'DOT',
      'HNZata7iMYWmk5RvZRTiAsSDhV8366zq2YGb3tLH5Upf74F',
      '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5',
    ],
    ['3… and M…', 'LTC', '3MSvaVbVFFLML86rt5eqgA9SvW23upaXdY', 'MTf4tP1TCNBn8dNkyxeBVoPrFCcVzxJvvh'],
    [
      'Bech32 in upper case',
      'BTC',
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    ],
    [
      'EIP-55 and lower case',
      'ETH',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    ],
  ])('%s on %s', (_name, chain, one, other) => {
    const [a, b] = [accepted(one, chain), accepted(other, chain)]
    expect(a.canonical).toBe(b.canonical)
    expect(a.lookupKey).toBe(b.lookupKey)
    expect([a.text, b.text]).toEqual([one, other])
  })

  test('one key hash is one look-up on every Bitcoin-like chain that writes it', () => {
    const text = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu'
    const keys = ['BTC', 'BCH', 'BSV'].map((chain) => accepted(text, chain).lookupKey)
    expect(new Set(keys).size).toBe(1)
    expect(accepted('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4').lookupKey).toBe(
      accepted('1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH').lookupKey,
    )
  })

  test('20 bytes are one look-up on TRON and on every EVM chain', () => {
    const evm = accepted('0xa614f803b6fd780986a42c78ec9c7f77e6ded13c', 'ETH')
    expect(evm.lookupKey).toBe('evm:0xa614f803b6fd780986a42c78ec9c7f77e6ded13c')
    for (const text of ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c']) {
      expect(accepted(text)).toMatchObject({ chain: 'TRX', lookupKey: evm.lookupKey })
    }
  })

  test.each([
    ['of a key', UNIFIED.p2pkh, '1cb8', '7bb83570b8fae146e03c5331a020b1e0892f631d'],
    ['of a key with two pools', UNIFIED.threePools, '1cb8', 'cad268758c5e71493066446b98e71df9d1d6a5ca'],
  ])('a unified address has the look-up of its transparent receiver: %s', (_what, text, version, hash) => {
    const transparent = encodeBase58Check(Buffer.from(version + hash, 'hex'))
    expect(accepted(text).lookupKey).toBe(accepted(transparent, 'ZEC').lookupKey)
    expect(accepted(text)).toMatchObject({ chain: 'ZEC', canonical: text })
  })

  test('a unified address without a transparent receiver has a look-up of its own', () => {
    expect(accepted(UNIFIED.shielded).lookupKey).toBe(`zec:${UNIFIED.shielded}`)
  })

  test('a canonical address means itself', () => {
    for (const [text, chain] of published) {
      const { canonical, lookupKey } = accepted(text, chain)
      expect(accepted(canonical, chain)).toMatchObject({ canonical, lookupKey })
    }
  })
})

describe('detection', () => {
  test('a bare 0x… is Ethereum for the report, every EVM chain for labels', () => {
    const parsed = accepted('0xde709f2102306220921060314715629080e2fb77')
    expect(parsed.chain).toBe('ETH')
    expect(parsed.candidateChains).toEqual(
      chains.filter(({ family }) => family === 'evm').map(({ code }) => code),
    )
  })

  test.each([
    ['1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', ['BTC', 'BCH', 'BSV']],
    ['3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC', ['BTC', 'LTC', 'BCH', 'BSV']],
    ['DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', ['DOGE', 'XVG']],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', []],
  ])('%s fits %s, in the order of detection', (text, candidates) => {
    const parsed = accepted(text)
    expect(parsed.candidateChains).toEqual(candidates)
    expect(parsed.chain).toBe(candidates[0] ?? parsed.chain)
  })

  test('a caller who names the chain gets that chain and no candidates', () => {
    expect(accepted('0xde709f2102306220921060314715629080e2fb77', 'base')).toMatchObject({
      chain: 'BASE',
      candidateChains: [],
    })
  })
})

describe('refusals', () => {
  test.each([
    [
      'letters that Unicode folds to a chain’s',
      '0xde709f2102306220921060314715629080e2fb77',
      'baſe',
      'unsupported_chain',
      'unknown_chain',
    ],
    [
      'SS58 with a wrong checksum',
      '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQZ',
      undefined,
      'invalid_address',
      'bad_checksum',
    ],
    ['an unknown chain comes before a bad address', 'nonsense', 'NOPE', 'unsupported_chain', 'unknown_chain'],
    ['a bad address comes before another chain', 'nonsense', 'ETH', 'invalid_address', 'bad_format'],
    [
      'another chain comes last',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      'BTC',
      'chain_mismatch',
      'wrong_chain',
    ],
    ['empty', '', undefined, 'invalid_address', 'empty_address'],
    ['leading space', ' 1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', undefined, 'invalid_address', 'white_space'],
    ['trailing line feed', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu\n', 'BTC', 'invalid_address', 'white_space'],
    ['no-break space', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu\u00a0', 'BTC', 'invalid_address', 'white_space'],
    ['zero-width space', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu\u200b', 'BTC', 'invalid_address', 'bad_format'],
    ['Cyrillic letter', '1\u0412pEi6DfDAUFd7GtittLSdBeYJvcoaVggu', 'BTC', 'invalid_address', 'bad_format'],
    ['endless text', 'a'.repeat(257), undefined, 'invalid_address', 'too_long'],
    ['Base58 in lower case', '1bpei6dfdaufd7gtittlsdbeyjvcoavggu', 'BTC', 'invalid_address', 'bad_format'],
    [
      'Bech32 in mixed case',
      'bc1Qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'BTC',
      'invalid_address',
      'bad_format',
    ],
    [
      'taproot with the checksum of version 0',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
      'BTC',
      'invalid_address',
      'bad_checksum',
    ],
    [
      'version 0 with the checksum of taproot',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
      'BTC',
      'invalid_address',
      'bad_checksum',
    ],
    [
      'test network',
      'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      undefined,
      'invalid_address',
      'bad_format',
    ],
    [
      'test network of Base58Check',
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      'BTC',
      'invalid_address',
      'bad_format',
    ],
    [
      'wrong mixed case',
      '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'ETH',
      'invalid_address',
      'eip55_mismatch',
    ],
    ['EVM without 0x', '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'ETH', 'invalid_address', 'bad_format'],
    [
      'EVM address on TRON',
      '0xde709f2102306220921060314715629080e2fb77',
      'TRX',
      'chain_mismatch',
      'wrong_chain',
    ],
  ])('%s', (_name, text, chain, code, reason) => {
    expect(parseAddress(text, chain)).toMatchObject({ ok: false, code, reason })
  })

  test('no explanation repeats what was sent', () => {
    const parsed = parseAddress('secret-in-the-wrong-field')
    expect(parsed.ok ? '' : parsed.detail).not.toContain('secret')
  })
})

test('a ticker decides between chains an address fits and never against the address', () => {
  const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  const dogecoinOrVerge = 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L'
  expect(parseListedAddress(tron, 'XBT')).toMatchObject({ chain: 'TRX' })
  expect(parseListedAddress(dogecoinOrVerge, 'XVG')).toMatchObject({ chain: 'XVG' })
  expect(parseListedAddress('3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC', 'USDT')).toMatchObject({ chain: 'BTC' })
})

test('EIP-55 writes back the case it accepts', () => {
  for (const text of [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  ]) {
    expect(toEip55(accepted(text).canonical)).toBe(text)
  }
})

test('codes are unique and every chain can be found in any case', () => {
  expect(new Set(chains.map(({ code }) => code)).size).toBe(chains.length)
  for (const { code } of chains) {
    expect(parseAddress('?', code.toLowerCase())).toMatchObject({ code: 'invalid_address' })
  }
})

test('on each chain an address is what parsing it for that chain says', () => {
  const texts = [
    '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    '34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    'not an address',
    '',
  ]
  const codes = chains.map(({ code }) => code)
  for (const text of texts) {
    const found = addressOnChains(text, codes)
    for (const code of codes) {
      const parsed = parseAddress(text, code)
      const { canonical, lookupKey } = parsed.ok ? parsed : {}
      expect(found.get(code)).toEqual(parsed.ok ? { canonical, lookupKey } : undefined)
    }
  }
})

test('a name that leads to an address is refused as a name', () => {
  for (const name of ['vitalik.eth', 'pay.vitalik.eth', 'brad.crypto', 'Example.COM'])
    expect(parseAddress(name)).toMatchObject({ code: 'invalid_address', reason: 'domain_name' })
  for (const text of ['.eth', 'vitalik.', 'a b.eth', '1.2.3.4', 'vitalik'])
    expect(parseAddress(text)).not.toMatchObject({ reason: 'domain_name' })
})
