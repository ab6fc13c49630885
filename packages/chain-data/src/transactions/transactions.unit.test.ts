/** A provider confirms exactly what a transaction has; whatever is not certain says nothing. */
import type { ChainCode } from '@cupel/domain'
import {
  answered,
  blockbookStandIn,
  esploraStandIn,
  etherscanStandIn,
  evmNodeStandIn,
  type EvmChain,
  type EvmMovement,
  type StandIn,
  type UtxoChain,
} from '@cupel/testkit/providers'
import { describe, expect, test } from 'vitest'
import { standInHttp } from '../../test/read-history.js'
import { landmarks } from '../chain-identity.js'
import type { ProviderKind } from '../configuration.js'
import { openTransactionSource } from './open-transaction-source.js'
import type { AskedMovements, StatedMovement } from './transaction-source.js'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const GROUND = { newestAtS: Math.floor(NOW_MS / 1_000) - 9, branch: 1 }
const hash = (index: number): string => index.toString(16).padStart(64, '0')
const address = (digit: string): string => `0x${digit.repeat(40)}`
const [PAYER, OWN, OTHER] = [address('1'), address('2'), address('3')]
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const PIECES = address('9')

function confirm(kind: ProviderKind, chain: ChainCode, standIn: StandIn, stated: StatedMovement) {
  const source = openTransactionSource({ name: 'p', kind, chain, multichain: true }, () => NOW_MS)!
  return source.confirm(stated, standInHttp(standIn))
}

function tell(kind: ProviderKind, chain: ChainCode, standIn: StandIn, asked: AskedMovements) {
  const source = openTransactionSource({ name: 'p', kind, chain, multichain: true }, () => NOW_MS)!
  return source.tell(asked, standInHttp(standIn))
}
const movement = (counterparty: string, contract: string, amount: bigint) => ({
  counterparty,
  contract,
  amount,
})

describe.each(['etherscan', 'evm-rpc'] as const)('a provider of kind %s', (kind) => {
  const paid = (index: number, changes: Partial<EvmMovement> = {}): EvmMovement => ({
    ...{ list: 'txlist', height: 20_000_000, hash: `0x${hash(index)}`, from: PAYER, to: OWN, value: '500' },
    ...changes,
  })
  const token = { list: 'tokentx', contract: USDT } as const
  const chain = (): EvmChain => ({
    ...{ ...GROUND, newest: 25_000_000, secondsPerBlock: 12, landmark: landmarks.ETH! },
    movements: [
      paid(1),
      ...[paid(2, token), paid(2, { ...token, from: OTHER }), paid(2, { ...token, value: '25' })],
      paid(3, { failed: true }),
      paid(4, { height: 24_999_999 }),
      paid(5, { height: 25_000_001 }),
      ...[paid(6, { to: OTHER, value: '0' }), paid(6, { list: 'txlistinternal' })],
      ...[paid(7, { to: OTHER, value: '0' }), paid(7, { list: 'txlistinternal', failed: true })],
      paid(8, { list: 'tokentx', contract: PIECES }),
    ],
  })
  const standIn = (of: EvmChain): StandIn =>
    kind === 'etherscan'
      ? etherscanStandIn(of, { host: 'etherscan', chainId: 1 })
      : evmNodeStandIn(of, { chainId: 1 })
  const stated = (index: number, changes: Partial<StatedMovement> = {}): StatedMovement => ({
    ...{ txHash: `0x${hash(index)}`, from: PAYER, to: OWN, contract: '', amount: 500n },
    ...changes,
  })
  const word = (of: StatedMovement, world = chain()) => confirm(kind, 'ETH', standIn(world), of)

  test('sees what a transaction pays, in ether and in tokens, added up', async () => {
    expect(await word(stated(1))).toBe('seen')
    expect(await word(stated(2, { contract: USDT, amount: 525n }))).toBe('seen')
  })

  test.each([
    ['another amount of a token', { contract: USDT, amount: 500n }],
    ['another sender', { contract: USDT, from: address('4'), amount: 525n }],
    ['another receiver', { contract: USDT, to: OTHER, amount: 525n }],
    ['another token', { contract: OTHER, amount: 525n }],
  ])('contradicts %s', async (_what, changes) => {
    expect(await word(stated(2, changes))).toBe('contradicted')
  })

  test('knows a transaction that failed, one that may be replaced, one without a block, and none at all', async () => {
    expect(await word(stated(3))).toBe('failed')
    expect(await word(stated(4))).toBe('unconfirmed')
    expect(await word(stated(5))).toBe('unconfirmed')
    expect(await word(stated(99))).toBe('not_found')
  })

  test('does not take a block that was replaced for the block of the transaction', async () => {
    const world = chain()
    const node = standIn(world)
    const replaced: StandIn = (question) => {
      const asked = JSON.stringify([question.url.search, question.body])
      world.branch = asked.includes('eth_getTransactionReceipt') ? 2 : 1
      return node(question)
    }
    expect(await confirm(kind, 'ETH', replaced, stated(1))).toBe('unconfirmed')
  })

  test('says of calls what it is told of them, and nothing if nobody tells', async () => {
    if (kind === 'etherscan') {
      expect(await word(stated(6))).toBe('seen')
      expect(await word(stated(7))).toBe('contradicted')
      expect(await word(stated(1, { amount: 501n }))).toBe('contradicted')
      return
    }
    await expect(word(stated(6))).rejects.toMatchObject({ code: 'refused' })
    await expect(word(stated(1, { amount: 501n }))).rejects.toMatchObject({ code: 'refused' })
  })

  const asked = (index: number, changes: Partial<AskedMovements> = {}): AskedMovements => ({
    ...{ txHash: `0x${hash(index)}`, own: OWN, direction: 'incoming', contract: null, ...changes },
  })
  const moved = (of: AskedMovements) => tell(kind, 'ETH', standIn(chain()), of)

  test('tells every transfer that can be meant of what nothing but a payment can be', async () => {
    expect(await moved(asked(1))).toEqual({ word: 'seen', movements: [movement(PAYER, '', 500n)] })
    expect(await moved(asked(1, { own: PAYER, direction: 'outgoing' }))).toEqual({
      ...{ word: 'seen', movements: [movement(OWN, '', 500n)] },
    })
    expect(await moved(asked(1, { own: OTHER }))).toEqual({ word: 'seen', movements: [] })
  })

  test('tells all transfers of a token, whoever pays', async () => {
    expect(await moved(asked(2, { contract: USDT }))).toEqual({
      word: 'seen',
      movements: [movement(PAYER, USDT, 500n), movement(OTHER, USDT, 500n), movement(PAYER, USDT, 25n)],
    })
  })

  test('tells nothing of a transaction whose calls nobody tells', async () => {
    const told = moved(asked(6))
    if (kind === 'evm-rpc') await expect(told).rejects.toMatchObject({ code: 'refused' })
    else expect(await told).toEqual({ word: 'seen', movements: [movement(PAYER, '', 500n)] })
  })

  test('tells nothing of what failed, of what may be replaced, and of what is not there', async () => {
    expect(await moved(asked(3))).toEqual({ word: 'failed' })
    expect(await moved(asked(4))).toEqual({ word: 'unconfirmed' })
    expect(await moved(asked(99))).toEqual({ word: 'not_found' })
  })

  test.each([
    [
      'of another chain',
      'wrong_chain',
      (world: EvmChain): EvmChain => ({ ...world, landmark: { ...world.landmark, hash: `0x${hash(7)}` } }),
    ],
    [
      'that has fallen behind',
      'stale',
      (world: EvmChain): EvmChain => ({ ...world, newestAtS: world.newestAtS - 86_400 }),
    ],
  ])('%s says nothing', async (what, code, change) => {
    const world = change(chain())
    const node =
      kind === 'evm-rpc' && code === 'wrong_chain' ? evmNodeStandIn(world, { chainId: 56 }) : standIn(world)
    await expect(confirm(kind, 'ETH', node, stated(1)), what).rejects.toMatchObject({ code })
  })

  test.each([
    [{ hash: `0x${hash(98)}` }],
    [{ value: 'many' }],
    [{ from: 'somebody' }],
    [{ blockNumber: '0x1' }],
    [{ to: undefined }],
  ])('a transaction with %j says nothing', async (raw) => {
    const world = { ...chain(), movements: [paid(1, { raw })] }
    await expect(word(stated(1), world)).rejects.toMatchObject({ code: 'malformed' })
  })
})

test('calls whose meaning is not certain contradict nothing', async () => {
  const world: EvmChain = {
    ...{ ...GROUND, newest: 25_000_000, secondsPerBlock: 12, landmark: landmarks.ETH! },
    movements: [
      {
        ...{ list: 'txlistinternal', height: 20_000_000, hash: `0x${hash(1)}`, from: PAYER, to: OWN },
        ...{ value: '500', type: 'delegatecall' },
      },
    ],
  }
  const stated = { txHash: `0x${hash(1)}`, from: PAYER, to: OWN, contract: '', amount: 700n }
  const node = etherscanStandIn(world, { host: 'etherscan', chainId: 1 })
  await expect(confirm('etherscan', 'ETH', node, stated)).rejects.toMatchObject({ code: 'refused' })
})

test('a key that is refused is not a transaction that is not there', async () => {
  const stated = { txHash: `0x${hash(1)}`, from: PAYER, to: OWN, contract: '', amount: 700n }
  const refused: StandIn = () => answered({ status: '0', message: 'NOTOK', result: 'Invalid API Key' })
  await expect(confirm('etherscan', 'ETH', refused, stated)).rejects.toMatchObject({ code: 'refused' })
})

describe.each(['esplora', 'blockbook'] as const)('a provider of kind %s', (kind) => {
  const own = 'bc1qcnp500gpwu550nr6xj3afwxldztylvmqh68lak'
  const payer = '3PeVz6zCzRWsRq9YfZYbfbP92ZYDNyMUCC'
  const other = '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h'
  const from = (...senders: readonly string[]) => senders.map((one) => ({ address: one, value: 700 }))
  const pays = (index: number, senders: readonly string[], height = 900_000) => ({
    ...{ height, hash: hash(index), inputs: from(...senders) },
    outputs: [
      { address: own, value: 500 },
      { address: payer, value: 190 },
    ],
  })
  const chain: UtxoChain = {
    ...{ ...GROUND, newest: 961_361, secondsPerBlock: 500, landmark: landmarks.BTC! },
    transactions: [
      ...[pays(1, [payer, payer]), pays(2, [payer, other]), pays(3, [payer], 961_361)],
      { ...pays(4, [payer]), outputs: [{ address: other, value: 500 }] },
    ],
  }
  const standIn = (kind === 'esplora' ? esploraStandIn : blockbookStandIn)(chain, {
    mempool: pays(5, [payer]),
  })
  const word = (index: number, changes: Partial<StatedMovement> = {}) =>
    confirm(kind, 'BTC', standIn, {
      ...{ txHash: hash(index), from: payer, to: own, contract: '', amount: 500n, ...changes },
    })

  test('sees an output that its sender pays by itself', async () => {
    expect(await word(1)).toBe('seen')
    expect(await word(2)).toBe('other_senders')
  })

  test('contradicts another amount, sender or receiver, and takes no change for a transfer', async () => {
    expect(await word(1, { amount: 501n })).toBe('contradicted')
    expect(await word(1, { from: other })).toBe('contradicted')
    expect(await word(1, { to: payer, amount: 190n })).toBe('contradicted')
    expect(await word(4)).toBe('contradicted')
  })

  test('knows a transaction that may be replaced, one without a block, and none at all', async () => {
    expect(await word(3)).toBe('unconfirmed')
    expect(await word(5)).toBe('unconfirmed')
    expect(await word(99)).toBe('not_found')
  })

  const moved = (index: number, changes: Partial<AskedMovements> = {}) =>
    tell(kind, 'BTC', standIn, {
      ...{ txHash: hash(index), own, direction: 'incoming', contract: null, ...changes },
    })

  test('tells what its only sender pays, and each sender that can be meant', async () => {
    expect(await moved(1)).toEqual({ word: 'seen', movements: [movement(payer, '', 500n)] })
    expect(await moved(2)).toEqual({
      word: 'other_senders',
      movements: [movement(payer, '', 500n), movement(other, '', 500n)],
    })
  })

  test('tells what goes out, and takes no change for it', async () => {
    const outgoing = { own: payer, direction: 'outgoing' } as const
    expect(await moved(1, outgoing)).toEqual({ word: 'seen', movements: [movement(own, '', 500n)] })
    expect(await moved(2, outgoing)).toMatchObject({ word: 'other_senders' })
    expect(await moved(1, { own: payer })).toEqual({ word: 'seen', movements: [] })
    expect(await moved(4)).toEqual({ word: 'seen', movements: [] })
    expect(await moved(3)).toEqual({ word: 'unconfirmed' })
    expect(await moved(99)).toEqual({ word: 'not_found' })
  })

  test('of parts that are not certain it says nothing', async () => {
    const [first] = chain.transactions
    const bad = { ...first!, raw: kind === 'esplora' ? { fee: 1 } : { valueIn: '1' } }
    const world = (kind === 'esplora' ? esploraStandIn : blockbookStandIn)({ ...chain, transactions: [bad] })
    const stated = { txHash: hash(1), from: payer, to: own, contract: '', amount: 500n }
    await expect(confirm(kind, 'BTC', world, stated)).rejects.toMatchObject({ code: 'malformed' })
  })
})
