/** Errors in the measuring of exposure that generated cases and the adversary found; each finding is a separate rule. */
import { expect, test } from 'vitest'
import { addressOf, ETHER, measured, neighbourhood, policyWith, transfer } from './exposure-builders.js'
import { ADDRESS, cleanLabel, label } from './judgement-builders.js'

const [between, source] = [addressOf(2), addressOf(3)]
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f'
const coinJoin = `coinjoin:0x${'c'.repeat(64)}`

test('by poison, a CoinJoin does not hide a mixer that is known', () => {
  const around = neighbourhood(
    [
      transfer({ from: coinJoin, to: between, coinJoin: true }),
      transfer({ from: source, to: between }),
      transfer({ from: between, to: ADDRESS, amount: 2n * ETHER }),
    ],
    { followed: [between] },
  )
  const labels = { [source]: [label({ category: 'mixer', confidencePpm: 900_000 })] }
  const { measures } = measured(around, labels, { policy: policyWith({ method: 'poison' }) })
  expect(measures).toMatchObject([{ category: 'mixer', subcategory: '', sourceAddress: source }])
})

test('value that came through a clean service twice is counted once', () => {
  const clean = addressOf(4)
  const around = neighbourhood(
    [
      transfer({ from: addressOf(5), to: clean, amount: 8n * ETHER }),
      transfer({ from: clean, to: between, amount: 4n * ETHER }),
      transfer({ from: between, to: clean, amount: 2n * ETHER }),
      transfer({ from: clean, to: between, amount: 2n * ETHER }),
      transfer({ from: addressOf(6), to: between, amount: 4n * ETHER }),
      transfer({ from: between, to: ADDRESS, amount: 8n * ETHER }),
    ],
    { followed: [between, clean] },
  )
  const { breakdown } = measured(around, { [clean]: [cleanLabel()] }, { policy: policyWith({ hops: 4 }) })
  const byCategory = Object.fromEntries(
    breakdown[0]!.parts.map(({ category, amount }) => [category, BigInt(amount)]),
  )
  // `between` passes 2 of its first 4 on, and they come back. Of its last 8, 4 are clean and 4 are a stranger's.
  expect(byCategory).toEqual({ clean_exchange: 4n * ETHER, unattributed: 4n * ETHER })
})

test('each step of a path is in the decimals of its own stablecoin, whichever was read first', () => {
  const usdt = transfer({ kind: 'token', contract: USDT, amount: 10n ** 6n, from: source })
  const dai = transfer({ kind: 'token', contract: DAI, amount: 5n * 10n ** 18n, from: source })
  for (const transfers of [
    [usdt, dai],
    [dai, usdt],
  ]) {
    const { measures } = measured(neighbourhood(transfers), { [source]: [label()] })
    expect(measures).toMatchObject([
      {
        asset: 'USD',
        amount: String(6n * 10n ** 18n),
        paths: [{ steps: [{ amount: String(5n * 10n ** 18n) }] }],
      },
    ])
  }
})

test('what one source gave in several lots has its value in dollars rounded once', () => {
  const usdt = (from: string, to: string, amount: bigint, blockNumber: number) =>
    transfer({ kind: 'token', contract: USDT, from, to, amount, blockNumber })
  const transfers = [
    usdt(source, between, 9n, 1),
    { ...usdt(source, between, 9n, 2), proven: false },
    usdt(between, ADDRESS, 18n, 3),
  ]
  const prices = { sha256: 'a'.repeat(64), microUsdOf: () => 950_000n }
  for (const method of ['fifo', 'haircut', 'poison'] as const) {
    const { breakdown } = measured(
      neighbourhood(transfers, { followed: [between], prices }),
      { [source]: [label()] },
      { policy: policyWith({ method }) },
    )
    // 18 millionths of 0.95 dollars are 17.1 millionths; 9 are 8.55.
    expect(breakdown, method).toMatchObject([
      { parts: [{ category: 'scam', relation: 'indirect', microUsd: '17' }] },
    ])
  }
})

test('by haircut, of parts that are rounded to more than the transfer, the one over proven transfers takes first', () => {
  const [unproven, proven] = [addressOf(3), addressOf(4)]
  const around = neighbourhood(
    [
      transfer({ from: unproven, to: between, amount: 9n, proven: false }),
      transfer({ from: proven, to: between, amount: 7n }),
      transfer({ from: between, to: addressOf(5), amount: 17n }),
      transfer({ from: between, to: ADDRESS, amount: 3n }),
    ],
    { followed: [between] },
  )
  const labels = Object.fromEntries([unproven, proven].map((at) => [at, [label({ category: 'darknet' })]]))
  const { breakdown } = measured(around, labels)
  // Each source has 2 of the last 3, in whole base units. The second one in order gets the rest.
  expect(breakdown[0]!.parts).toMatchObject([{ category: 'darknet', relation: 'indirect', amount: '3' }])
  const shares = new Map(
    breakdown[0]!.parts[0]!.counterparties.map(({ address, amount }) => [address, amount]),
  )
  expect(Object.fromEntries(shares)).toEqual({ [proven]: '2', [unproven]: '1' })
})

test('a payment and a call with one hash at two places are two movements', () => {
  const told = { txHash: `0x${'7'.repeat(64)}`, from: source, index: 0 }
  const payment = transfer({ ...told, blockNumber: 7 })
  const labels = { [source]: [label()] }
  for (const place of [{ blockNumber: 8 }, { blockNumber: 7, index: 1 }]) {
    const call = transfer({ ...told, kind: 'internal', ...place })
    const { measures } = measured(neighbourhood([payment, call]), labels)
    expect(measures).toMatchObject([{ amount: String(2n * ETHER), transfers: 2 }])
  }
})

test('a payment that another source calls a call of its transaction counts once, and is proven if either is', () => {
  const told = { txHash: `0x${'7'.repeat(64)}`, from: source, blockNumber: 7 }
  const payment = transfer({ ...told, proven: false })
  const call = transfer({ ...told, kind: 'internal', index: null })
  const labels = { [source]: [label()] }
  for (const transfers of [
    [payment, call],
    [call, payment],
  ]) {
    const { measures, breakdown, incomplete } = measured(neighbourhood(transfers), labels)
    expect(measures).toMatchObject([{ amount: String(ETHER), provenAmount: String(ETHER), transfers: 1 }])
    expect(breakdown).toMatchObject([{ total: String(ETHER) }])
    expect(incomplete).not.toContain('execution_unknown')
  }
  const others = [
    transfer({ ...told, kind: 'internal' }),
    transfer({ ...told, kind: 'internal', amount: 2n * ETHER }),
    transfer({ ...told, kind: 'internal', txHash: `0x${'8'.repeat(64)}` }),
  ]
  const { measures } = measured(neighbourhood([payment, call, ...others]), labels)
  expect(measures).toMatchObject([{ amount: String(5n * ETHER), transfers: 4 }])
})
