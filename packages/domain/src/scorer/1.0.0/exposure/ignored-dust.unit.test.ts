import { expect, test } from 'vitest'
import { addressOf, measured, neighbourhood, transfer } from '../../../../test/exposure-builders.js'
import { ofacLabel, ofacSet } from '../../../../test/judgement-builders.js'
import { compiledDefaultPolicy as policy } from '../risk/default-policy.js'
import { greenDoubts } from '../risk/green-doubts.js'
import { ignoredDustOf } from './ignored-dust.js'
import { scoreExposure } from './score-exposure.js'

type Measure = Parameters<ReturnType<typeof ignoredDustOf>>[0]

const came = (contract: string, wholeAmount: number, changes: Partial<Measure> = {}): Measure => ({
  ...{ category: 'sanctions', relation: 'direct', direction: 'in', contract, isWeak: false },
  ...{ wholeAmount: String(wholeAmount), dust: '100', ...changes },
})
const ignored = (...measures: Measure[]): boolean[] => measures.map(ignoredDustOf(measures))

test('a payment that is divided among assets is not dust: three assets of 0.6 dust each count', () => {
  expect(ignored(came('', 60), came('usd', 60), came('wbtc', 60))).toEqual([false, false, false])
  expect(ignored(came('', 33), came('usd', 33), came('wbtc', 33))).toEqual([true, true, true])
  expect(ignored(came('', 60))).toEqual([true])
  expect(ignored(came('', 100))).toEqual([false])
})

test('what came of other categories, over others or from weak sources is not added', () => {
  const others: Partial<Measure>[] = [
    { category: 'scam' },
    { relation: 'indirect' },
    { isWeak: true },
  ]
  for (const other of others) expect(ignored(came('', 60), came('usd', 60, other))).toEqual([true, true])
})

test('rows of one asset that a date divides state one whole, which counts once', () => {
  expect(ignored(came('', 60), came('', 60))).toEqual([true, true])
})

test('what went out is never ignored', () => {
  expect(ignored(came('', 1, { direction: 'out' }))).toEqual([false])
})

test('a designated payer of three assets, each below its dust, is exposure and forbids green', () => {
  const payer = addressOf(1)
  const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
  const wbtc = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
  const paid = (...of: [contract: string, amount: bigint][]) => {
    const transfers = of.map(([contract, amount], index) =>
      transfer({ id: String(index), from: payer, contract, amount }),
    )
    const labels = { [payer]: [ofacLabel()] }
    const { measures, breakdown, ownTransfers } = measured(neighbourhood(transfers), labels, {
      ...{ policy, labelSets: [ofacSet()] },
    })
    return {
      points: scoreExposure(measures, { policy, isCleanService: false }).map(({ contribution }) => contribution),
      doubts: greenDoubts('ETH', { measures, breakdown, ownTransfers }, policy),
    }
  }
  const divided = paid(['', 6n * 10n ** 15n], [usdt, 15_000_000n], [wbtc, 30_000n])
  expect(divided.points).toEqual([2_500, 2_500, 2_500])
  expect(divided.doubts).toContain('illicit_value')
  expect(paid(['', 6n * 10n ** 15n]).points).toEqual([0])
})
