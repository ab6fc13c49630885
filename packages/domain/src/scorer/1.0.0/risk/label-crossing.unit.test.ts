import { describe, expect, test } from 'vitest'
import {
  ADDRESS,
  cleanLabel,
  GENERATED_AT,
  judged,
  label,
  ofacLabel,
  ofacSet,
} from '../../../../test/judgement-builders.js'
import { considerLabels } from './consider-labels.js'
import { compiledDefaultPolicy } from './default-policy.js'
import type { CodeAtAddress, LabelFacts } from './label-facts.js'

const codes = ['contract', 'none', 'unknown'] as const

/** Why a label of `labelled` does not count where the address is screened on `screened`; empty where it does. */
function reasonOn(screened: string, labelOf: LabelFacts, codeAtAddress: CodeAtAddress): string {
  const [considered] = considerLabels({
    labels: [labelOf],
    labelSets: [],
    chain: screened,
    codeAtAddress,
    generatedAt: GENERATED_AT,
    policy: compiledDefaultPolicy,
  })
  return considered!.reason
}

describe('a label of one EVM chain, on another', () => {
  test.each(codes)('illicit: counts unless code is known there (%s)', (code) => {
    const expected = code === 'contract' ? 'contract_here' : ''
    for (const category of ['stolen', 'mixer', 'scam', 'darknet'])
      expect(reasonOn('BSC', label({ category, chain: 'ETH' }), code)).toBe(expected)
  })

  test.each(codes)('sanctions: always count (%s)', (code) => {
    expect(reasonOn('BSC', ofacLabel({ chain: 'ETH' }), code)).toBe('')
  })

  test.each(codes)('clean: counts only where the address is known to be no contract (%s)', (code) => {
    expect(reasonOn('BSC', cleanLabel({ chain: 'ETH' }), code)).toBe(code === 'none' ? '' : 'other_chain')
  })
})

test.each(codes)('a label of the screened chain counts whatever is there (%s)', (code) => {
  expect(reasonOn('ETH', label(), code)).toBe('')
  expect(reasonOn('ETH', cleanLabel(), code)).toBe('')
})

test.each(codes)(
  'where one key is an address on chains without code, only what is clean stays at home (%s)',
  (code) => {
    const address = '1dice8EMZmqKvrGE4Qc9bUFf9PX3xaYDp'
    expect(reasonOn('BCH', label({ chain: 'BTC', address }), code)).toBe('')
    expect(reasonOn('BCH', cleanLabel({ chain: 'BTC', address }), code)).toBe('other_chain')
  },
)

test('a chain this version does not know is another chain', () => {
  expect(reasonOn('ETH', cleanLabel({ chain: 'NOVEL', address: ADDRESS }), 'none')).toBe('other_chain')
  expect(reasonOn('ETH', label({ chain: 'NOVEL' }), 'contract')).toBe('')
})

describe('a label of the TRX address with the same 20 bytes', () => {
  const twin = { chain: 'TRX', address: 'TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW' }

  test.each(codes)('sanctions: the EVM twin of a designated address is red (%s)', (codeAtAddress) => {
    const judgement = judged([ofacLabel(twin)], { labelSets: [ofacSet()], codeAtAddress })
    expect(judgement).toMatchObject({ level: 'red', evidence: [{ chain: 'TRX', address: twin.address }] })
    expect(reasonOn('TRX', ofacLabel({ chain: 'ETH' }), codeAtAddress)).toBe('')
  })

  test.each(codes)('illicit: counts both ways unless code is known there (%s)', (code) => {
    const expected = code === 'contract' ? 'contract_here' : ''
    expect(reasonOn('ETH', label({ ...twin, category: 'stolen' }), code)).toBe(expected)
    expect(reasonOn('TRX', label({ category: 'stolen' }), code)).toBe(expected)
  })

  test.each(codes)('clean: never crosses (%s)', (code) => {
    expect(reasonOn('ETH', cleanLabel(twin), code)).toBe('other_chain')
    expect(reasonOn('TRX', cleanLabel(), code)).toBe('other_chain')
  })
})

test.each(['BTC', 'BCH', 'BSV', 'DOT', 'ZEC'])(
  'one key on another chain: %s, illicit counts, clean stays',
  (chain) => {
    expect(reasonOn(chain, label({ chain: 'NOVEL' }), 'unknown')).toBe('')
    expect(reasonOn(chain, cleanLabel({ chain: 'NOVEL' }), 'none')).toBe('other_chain')
  },
)
