/** Transactions of TRON and Solana by their hash: exactly what they have, and nothing of what is not certain. */
import { parseAddress, type ChainCode } from '@cupel/domain'
import {
  solanaStandIn,
  tronGridStandIn,
  type SolanaLedger,
  type SolanaQuirks,
  type SolanaTransaction,
  type StandIn,
  type TronMovement,
} from '@cupel/testkit/providers'
import { describe, expect, test } from 'vitest'
import { standInHttp } from '../../test/read-history.js'
import type { ProviderKind } from '../configuration.js'
import { openTransactionSource } from './open-transaction-source.js'
import type { AskedMovements, StatedMovement } from './transaction-source.js'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const movement = (counterparty: string, contract: string, amount: bigint) => ({
  counterparty,
  contract,
  amount,
})

function asking(kind: ProviderKind, chain: ChainCode, standIn: StandIn) {
  const source = openTransactionSource({ name: 'p', kind, chain, multichain: true }, () => NOW_MS)!
  const http = standInHttp(standIn)
  return {
    confirm: (stated: StatedMovement) => source.confirm(stated, http),
    tell: (asked: AskedMovements) => source.tell(asked, http),
  }
}

describe('TronGrid', () => {
  const OWN = 'TUTpjYd12MSVqMJUHA8tn571FeFSRKe6V6'
  const PAYER = 'TABDXDz5nV6C3ijDDuhV43FueGBttqt5gv'
  const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  const NEWEST = 85_138_473
  const HEIGHT = 85_000_000
  const hash = (index: number): string => index.toString(16).padStart(64, '0')
  const hexOf = (address: string): string => {
    const parsed = parseAddress(address, 'TRX')
    if (!parsed.ok) throw new Error(address)
    return parsed.lookupKey!.replace('evm:0x', '41')
  }
  const paid = (index: number, rest: Partial<TronMovement> = {}): TronMovement => ({
    ...{ list: 'transaction', height: HEIGHT, hash: hash(index), from: PAYER, to: OWN, value: 5 },
    ...rest,
  })
  const called = { type: 'TriggerSmartContract', to: USDT, value: 0 } as const
  const token = { list: 'trc20', token: USDT } as const
  const movements: readonly TronMovement[] = [
    paid(1),
    ...[paid(2, called), paid(2, { ...token, value: 7n }), paid(2, { ...token, from: USDT, value: 8n })],
    paid(3, { result: 'REVERT' }),
    paid(4, { height: NEWEST - 3 }),
    paid(5, { height: NEWEST + 1 }),
    ...[paid(6, called), paid(6, { list: 'call', from: USDT, value: 9 })],
    ...[paid(7, called), paid(7, { list: 'call', from: USDT, value: 9, raw: { rejected: true } })],
    ...[paid(8, called), paid(8, { list: 'call', from: USDT, value: 9, raw: { note: '66726565' } })],
  ]
  const ask = (own: readonly TronMovement[] = movements) =>
    asking(
      'trongrid',
      'TRX',
      tronGridStandIn({ movements: own, newest: NEWEST, newestAtMs: NOW_MS - 9_123, branch: 1 }, { hexOf }),
    )
  const stated = (index: number, changes: Partial<StatedMovement> = {}): StatedMovement => ({
    ...{ txHash: hash(index), from: PAYER, to: OWN, contract: '', amount: 5n, ...changes },
  })
  const asked = (index: number, changes: Partial<AskedMovements> = {}): AskedMovements => ({
    ...{ txHash: hash(index), own: OWN, direction: 'incoming', contract: null, ...changes },
  })

  test('sees payments, transfers of tokens and calls', async () => {
    const { confirm } = ask()
    expect(await confirm(stated(1))).toBe('seen')
    expect(await confirm(stated(2, { contract: USDT, amount: 7n }))).toBe('seen')
    expect(await confirm(stated(6, { from: USDT, amount: 9n }))).toBe('seen')
  })

  test('contradicts another amount, sender, receiver or token, and calls that were rejected', async () => {
    const { confirm } = ask()
    for (const changes of [{ amount: 6n }, { from: USDT }, { to: PAYER }, { contract: USDT }])
      expect(await confirm(stated(1, changes)), JSON.stringify(Object.keys(changes))).toBe('contradicted')
    expect(await confirm(stated(7, { from: USDT, amount: 9n }))).toBe('contradicted')
  })

  test('knows what failed, what may be replaced, what has no block, and what is not there', async () => {
    const { confirm } = ask()
    expect(await confirm(stated(3))).toBe('failed')
    expect(await confirm(stated(4))).toBe('unconfirmed')
    expect(await confirm(stated(5))).toBe('unconfirmed')
    expect(await confirm(stated(99))).toBe('not_found')
  })

  test('tells every transfer of the address, in its direction', async () => {
    const { tell } = ask()
    expect(await tell(asked(1))).toEqual({ word: 'seen', movements: [movement(PAYER, '', 5n)] })
    expect(await tell(asked(2))).toEqual({
      word: 'seen',
      movements: [movement(PAYER, USDT, 7n), movement(USDT, USDT, 8n)],
    })
    expect(await tell(asked(1, { own: PAYER, direction: 'outgoing' }))).toEqual({
      word: 'seen',
      movements: [movement(OWN, '', 5n)],
    })
    expect(await tell(asked(6))).toEqual({ word: 'seen', movements: [movement(USDT, '', 9n)] })
    expect(await tell(asked(3))).toEqual({ word: 'failed' })
  })

  test.each<[string, Partial<TronMovement>]>([
    ['another hash', { rawTransaction: { txID: hash(98) } }],
    ['no outcome', { rawTransaction: { ret: [] } }],
    ['an unknown outcome', { rawTransaction: { ret: [{ contractRet: 'FINE' }] } }],
    ['two contracts', { rawTransaction: { raw_data: { contract: [{}, {}] } } }],
    ['an unknown contract', { type: 'NewContract' }],
    ['the outcome of another one', { rawOutcome: { id: hash(98) } }],
    ['an outcome without a block', { rawOutcome: { blockNumber: undefined } }],
    ['an outcome that contradicts it', { rawOutcome: { result: 'FAILED' } }],
    ['an unknown result', { rawOutcome: { result: 'MAYBE' } }],
    ['a log without an address', { rawOutcome: { log: [{ topics: [hash(1)], data: '' }] } }],
    ['a call of nobody', { rawOutcome: { internal_transactions: [{ callValueInfo: [{ callValue: 1 }] }] } }],
  ])('says nothing of a transaction with %s', async (_what, changes) => {
    const { confirm, tell } = ask([paid(1, changes)])
    await expect(confirm(stated(1))).rejects.toMatchObject({ code: 'malformed' })
    await expect(tell(asked(1))).rejects.toMatchObject({ code: 'malformed' })
  })

  test('says nothing of value in a call whose note is not known', async () => {
    await expect(ask().tell(asked(8))).rejects.toMatchObject({ code: 'malformed' })
  })

  test('does not take a block of another time for the block of the transaction', async () => {
    const { confirm } = ask([paid(1, { rawOutcome: { blockTimeStamp: NOW_MS - 1 } })])
    expect(await confirm(stated(1))).toBe('unconfirmed')
  })
})

describe('a Solana node', () => {
  const OWN = 'RustUSBDaDcRRbT8JRmJ8GpomiXiMdgt3iYwbA59xvB'
  const PAYER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
  const POOL = '6h85MACBvSSvgoMgeNUuHWNtKbte49CsSSJKhvUf1Z8y'
  const OWN_USDC = '2Y7HATmn9aJBcxCskE5V2U2epmjvkZmB51zTJBbhj4cU'
  const PAYER_USDC = 'GDrMq2DBxggZqwiMtSKYwXjxN9wgzbcvXK72kLJxapHw'
  const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  const SLOT = 437_000_000
  const FEE = 5_000
  const signature = (index: number): string =>
    `${'5'.repeat(82)}${String(111_111 + index).replaceAll('0', 'z')}`
  const paid = (index: number, rest: Partial<SolanaTransaction> = {}): SolanaTransaction => ({
    ...{ slot: SLOT, signature: signature(index) },
    accounts: [
      [PAYER, 10_000_000, 10_000_000 - 700 - FEE],
      [OWN, 500, 1_200],
    ],
    instructions: [
      {
        ...{ program: 'system', programId: '1'.repeat(32) },
        parsed: { type: 'transfer', info: { source: PAYER, destination: OWN, lamports: 700 } },
      },
    ],
    ...rest,
  })
  const tokens = [
    { account: PAYER_USDC, mint: USDC, owner: PAYER, before: 900, after: 400 },
    { account: OWN_USDC, mint: USDC, owner: OWN, before: 0, after: 500 },
  ]
  /** Neither side of it is named but by its token accounts. */
  const tokenPaid: SolanaTransaction = {
    ...{ slot: SLOT, signature: signature(2), tokens },
    accounts: [
      [POOL, 10_000_000, 10_000_000 - FEE],
      [PAYER_USDC, 2_039_280, 2_039_280],
      [OWN_USDC, 2_039_280, 2_039_280],
    ],
  }
  const transactions: readonly SolanaTransaction[] = [
    ...[paid(1), tokenPaid, paid(3, { err: { InstructionError: [0, 'Custom'] } }), paid(4)],
    paid(5, {
      accounts: [
        [PAYER, 10_000_000, 10_000_000 - 300 - FEE],
        [POOL, 10_000_000, 10_000_000 - 400],
        [OWN, 500, 1_200],
      ],
      instructions: [],
    }),
  ]
  const ledgerOf = (own: readonly SolanaTransaction[]): SolanaLedger => ({
    ...{
      transactions: own,
      newest: SLOT + 1_000,
      newestAtS: Math.floor(NOW_MS / 1_000) - 9,
      tokenAccounts: [],
    },
  })
  const ask = (own: readonly SolanaTransaction[] = transactions, quirks: SolanaQuirks = {}) =>
    asking('solana-rpc', 'SOL', solanaStandIn(ledgerOf(own), { young: [signature(4)], ...quirks }))
  const stated = (index: number, changes: Partial<StatedMovement> = {}): StatedMovement => ({
    ...{ txHash: signature(index), from: PAYER, to: OWN, contract: '', amount: 700n, ...changes },
  })
  const asked = (index: number, changes: Partial<AskedMovements> = {}): AskedMovements => ({
    ...{ txHash: signature(index), own: OWN, direction: 'incoming', contract: null, ...changes },
  })

  test('sees payments and transfers of tokens between their owners', async () => {
    const { confirm } = ask()
    expect(await confirm(stated(1))).toBe('seen')
    expect(await confirm(stated(2, { contract: USDC, amount: 500n }))).toBe('seen')
  })

  test('contradicts another amount, sender, receiver or token', async () => {
    const { confirm } = ask()
    for (const changes of [{ amount: 701n }, { from: POOL }, { to: POOL }, { contract: USDC }])
      expect(await confirm(stated(1, changes)), JSON.stringify(Object.keys(changes))).toBe('contradicted')
  })

  test('knows what failed, what is not finalized, and what is not there', async () => {
    const { confirm } = ask()
    expect(await confirm(stated(3))).toBe('failed')
    expect(await confirm(stated(4))).toBe('unconfirmed')
    expect(await confirm(stated(99))).toBe('not_found')
  })

  test('tells every transfer of the address, and each side that can be meant', async () => {
    const { tell } = ask()
    expect(await tell(asked(1))).toEqual({ word: 'seen', movements: [movement(PAYER, '', 700n)] })
    expect(await tell(asked(2))).toEqual({ word: 'seen', movements: [movement(PAYER, USDC, 500n)] })
    expect(await tell(asked(1, { own: PAYER, direction: 'outgoing' }))).toEqual({
      word: 'seen',
      movements: [movement(OWN, '', 700n)],
    })
    expect(await tell(asked(5))).toMatchObject({
      movements: [{ counterparty: PAYER }, { counterparty: POOL }],
    })
    expect(await tell(asked(3))).toEqual({ word: 'failed' })
  })

  test('says nothing of a transaction that the node has pruned', async () => {
    const { confirm } = ask(transactions, { pruned: [signature(1)] })
    await expect(confirm(stated(1))).rejects.toMatchObject({ code: 'refused' })
  })

  test.each<[string, SolanaTransaction]>([
    [
      'without owners of tokens',
      {
        ...tokenPaid,
        tokens: tokens.map(({ account, mint, before, after }) => ({ account, mint, before, after })),
      },
    ],
    ['of another slot form', paid(2, { raw: { slot: 'many' } })],
    ['without an outcome', paid(2, { raw: { meta: null } })],
    ['of another signature', paid(2, { raw: { transaction: paid(1) } })],
  ])('says nothing of a transaction %s', async (_what, one) => {
    const { tell } = ask([one])
    await expect(tell(asked(2))).rejects.toMatchObject({ code: 'malformed' })
  })

  test('of another cluster says nothing', async () => {
    const { tell } = ask(transactions, { genesis: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' })
    await expect(tell(asked(1))).rejects.toMatchObject({ code: 'wrong_chain' })
  })
})
