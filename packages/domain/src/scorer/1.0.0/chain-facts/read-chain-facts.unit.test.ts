import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chainFact, failedFact } from '../../../../test/chain-fact-builders.js'
import { formatAmount } from './amount.js'
import { noChainInputs } from './chain-inputs.js'
import { readChainFacts } from './read-chain-facts.js'

const answered = (...facts: ReturnType<typeof chainFact>[]) =>
  readChainFacts('ETH', { stage: 'answered', facts })

describe('amounts', () => {
  test.each([
    ['1700000000000000', 18, '0.001700'],
    ['0', 18, '0.000000'],
    ['999999999999', 18, '0.000000'],
    ['1999999999999999999', 18, '1.999999'],
    ['5000000000000', 6, '5000000.000000'],
    ['7', 2, '0.070000'],
    ['115792089237316195423570985008687907853269984665640564039457584007913129639935', 0,
      '115792089237316195423570985008687907853269984665640564039457584007913129639935.000000'],
  ])('%s base units of %i decimals are %s', (units, decimals, amount) => {
    expect(formatAmount(units, decimals)).toBe(amount)
  }) // prettier-ignore

  test('are never rounded up, and lose less than a millionth', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 256n }),
        fc.integer({ min: 0, max: 30 }),
        (units, decimals) => {
          const micros = BigInt(formatAmount(String(units), decimals).replace('.', ''))
          const scale = 10n ** BigInt(decimals)
          expect(micros * scale <= units * 1_000_000n).toBe(true)
          expect((micros + 1n) * scale > units * 1_000_000n).toBe(true)
        },
      ),
    )
  })
})

describe('what the report says', () => {
  test('one provider: balance, count, tokens and whose word it is', () => {
    expect(answered(chainFact())).toEqual({
      balance: '0.001700 ETH',
      balanceBaseUnits: '1700000000000000',
      txCount: 1430,
      txCountKind: 'outgoing',
      balances: [{ asset: 'USDT', amount: '5000000.000000' }],
      tokens: chainFact().tokens,
      coverage: {
        status: 'complete',
        source: 'own-node',
        height: 15_000_000,
        as_of: '2026-11-21T08:59:00.000Z',
      },
      codeAtAddress: 'none',
      isFaulted: false,
    })
  })

  test('no provider: everything unknown, and no fault', () => {
    expect(readChainFacts('XMR', noChainInputs)).toMatchObject({
      balance: null,
      balanceBaseUnits: null,
      txCount: null,
      coverage: { status: 'unavailable', source: null, height: null, as_of: null },
      codeAtAddress: 'unknown',
      isFaulted: false,
    })
  })

  test('all transactions count before outgoing ones, whoever is asked first', () => {
    const total = chainFact({ provider: 'explorer', txCount: 2_000, txCountKind: 'total' })
    expect(answered(chainFact(), total)).toMatchObject({ txCount: 2_000, txCountKind: 'total' })
  })

  test('a provider that fails leaves what the other says, and is named', () => {
    expect(answered(failedFact('timeout'), chainFact())).toMatchObject({
      balance: '0.001700 ETH',
      coverage: {
        status: 'partial',
        source: 'own-node',
        faults: [{ source: 'explorer', error: 'timeout' }],
      },
      isFaulted: true,
    })
  })

  test.each(['late', 'failed'] as const)('a stage that is %s says nothing of the address', (stage) => {
    const reading = readChainFacts('ETH', { stage, facts: [chainFact({ error: stage })] })
    expect(reading).toMatchObject({ balance: null, txCount: null, balances: [], codeAtAddress: 'unknown' })
    expect(reading).toMatchObject({ isFaulted: true, coverage: { status: 'unavailable', source: null } })
  })
})

describe('providers that disagree', () => {
  const other = (changes: Parameters<typeof chainFact>[0]) => chainFact({ provider: 'explorer', ...changes })

  test.each<[string, Parameters<typeof chainFact>[0]]>([
    ['balance', { balanceBaseUnits: '1' }],
    ['block', { blockHash: '0xother' }],
    ['tx_count', { txCount: 1_431 }],
    ['tx_count', { txCount: 1_429, height: '15000003', blockHash: null }],
    ['is_contract', { isContract: true, height: '14000000' }],
    ['token:USDT', { tokens: [{ asset: 'USDT', amountBaseUnits: '1', decimals: 6 }] }],
  ])('on %s are both quoted, and the one asked first is shown', (fact, changes) => {
    const { coverage, balanceBaseUnits, isFaulted } = answered(chainFact(), other(changes))
    expect(coverage.status).toBe('partial')
    expect(coverage.disagreements?.map((one) => one.fact)).toEqual([fact])
    expect(coverage.disagreements?.[0]?.values.map(({ source }) => source)).toEqual(['own-node', 'explorer'])
    expect(balanceBaseUnits).toBe('1700000000000000')
    expect(isFaulted).toBe(true)
  })

  test.each<[string, Parameters<typeof chainFact>[0]]>([
    ['a balance of another block', { balanceBaseUnits: '1', height: '15000001' }],
    ['a balance of no certain block', { balanceBaseUnits: '1', blockHash: null }],
    ['a later count that is higher', { txCount: 1_431, height: '15000001' }],
    ['a count of another kind', { txCount: 3, txCountKind: 'total' }],
    ['silence', { isContract: null, balanceBaseUnits: null, txCount: null, txCountKind: null, tokens: [] }],
  ])('is not what %s is', (_name, changes) => {
    expect(answered(chainFact(), other(changes)).coverage).not.toHaveProperty('disagreements')
  })

  test('whether code is there is unknown where two differ', () => {
    expect(answered(chainFact(), other({ isContract: true })).codeAtAddress).toBe('unknown')
    expect(answered(chainFact(), other({ isContract: null })).codeAtAddress).toBe('none')
  })
})
