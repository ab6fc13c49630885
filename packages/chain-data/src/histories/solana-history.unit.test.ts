/** Histories from a Solana node: balances tell the amounts, and token accounts have signatures of their own. */
import { assertWithin } from '@cupel/testkit'
import {
  solanaStandIn,
  type SolanaLedger,
  type SolanaQuirks,
  type SolanaTransaction,
} from '@cupel/testkit/providers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHistory, standInHttp } from '../../test/read-history.js'
import { solanaHistory } from './solana-history.js'

const NOW_MS = Date.parse('2026-11-21T09:00:37.123Z')
const ME = 'RustUSBDaDcRRbT8JRmJ8GpomiXiMdgt3iYwbA59xvB'
const OTHER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
const POOL = '6h85MACBvSSvgoMgeNUuHWNtKbte49CsSSJKhvUf1Z8y'
const MY_USDC = '2Y7HATmn9aJBcxCskE5V2U2epmjvkZmB51zTJBbhj4cU'
const OTHER_USDC = 'GDrMq2DBxggZqwiMtSKYwXjxN9wgzbcvXK72kLJxapHw'
const MY_WRAPPED = '2saDgHadHYosAaNpfMtcHNS8cfHU8VxKrL7rEDAzQLYY'
const POOL_WRAPPED = '3gfwZBZTCNQ3buVq5BwJqqFdndwp4ueEw4jEZctA4CFR'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const WRAPPED = 'So11111111111111111111111111111111111111112'
const SLOT = 437_000_000
const FEE = 5_000

const signature = (index: number): string =>
  `${'5'.repeat(82)}${String(111_111 + index).replaceAll('0', 'z')}`
const ledgerOf = (
  transactions: readonly SolanaTransaction[],
  tokenAccounts: SolanaLedger['tokenAccounts'] = [],
): SolanaLedger => ({
  ...{ transactions, newest: SLOT + 1_000, newestAtS: Math.floor(NOW_MS / 1_000) - 9, tokenAccounts },
})
const source = (pageSignatures?: number) =>
  solanaHistory({
    ...{ provider: 'p', now: () => NOW_MS },
    ...(pageSignatures === undefined ? {} : { pageSignatures }),
  })
const read = (ledger: SolanaLedger, quirks: SolanaQuirks = {}, fromHeight: number | null = null) =>
  readHistory(source(), ME, standInHttp(solanaStandIn(ledger, quirks)), fromHeight)

const system = (from: string, destination: string, lamports: number): unknown => ({
  ...{ program: 'system', programId: '1'.repeat(32) },
  parsed: { type: 'transfer', info: { source: from, destination, lamports } },
})
const spl = (from: string, destination: string, amount: number): unknown => ({
  ...{ program: 'spl-token', programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
  parsed: { type: 'transfer', info: { source: from, destination, amount: String(amount), authority: from } },
})
const paid = (
  index: number,
  slot = SLOT + index,
  rest: Partial<SolanaTransaction> = {},
): SolanaTransaction => ({
  ...{ slot, signature: signature(index) },
  accounts: [
    [OTHER, 10_000_000, 10_000_000 - 700 - FEE],
    [ME, 500, 1_200],
  ],
  instructions: [system(OTHER, ME, 700)],
  ...rest,
})
const edges = (lines: readonly Readonly<Record<string, unknown>>[]): readonly string[] =>
  lines.map((line) =>
    ['kind', 'from_address', 'to_address', 'amount_raw'].map((name) => String(line[name])).join(' '),
  )

test('a payment, with its slot and the fee apart', async () => {
  const mine = paid(2, SLOT + 2, {
    accounts: [
      [ME, 1_000_000, 1_000_000 - 300 - FEE],
      [OTHER, 1, 301],
    ],
    instructions: [system(ME, OTHER, 300)],
  })
  const { lines, end } = await read(ledgerOf([paid(1), mine]))
  expect(end).toEqual({
    head: { height: SLOT + 1_000, hash: null, atS: Math.floor(NOW_MS / 1_000) - 9 },
    kinds: ['native', 'token'],
    incomplete: [],
  })
  expect(edges(lines)).toEqual([`native ${ME} ${OTHER} 300`, `native ${OTHER} ${ME} 700`])
  expect(lines[0]).toMatchObject({ block_number: String(SLOT + 2), tx_hash: signature(2), status: '1' })
})

const received = (index: number, rest: Partial<SolanaTransaction> = {}): SolanaTransaction => ({
  ...{ slot: SLOT + index, signature: signature(index) },
  accounts: [
    [OTHER, 10_000_000, 10_000_000 - FEE],
    [OTHER_USDC, 2_039_280, 2_039_280],
    [MY_USDC, 2_039_280, 2_039_280],
  ],
  tokens: [
    { account: OTHER_USDC, mint: USDC, owner: OTHER, before: 900, after: 400 },
    { account: MY_USDC, mint: USDC, owner: ME, before: 0, after: 500 },
  ],
  instructions: [spl(OTHER_USDC, MY_USDC, 500)],
  ...rest,
})

test('a token that arrives names only the token account, and is found', async () => {
  const held = [{ account: MY_USDC, owner: ME, mint: USDC }]
  const { lines } = await read(ledgerOf([received(1)], held))
  expect(edges(lines)).toEqual([`token ${OTHER} ${ME} 500`])
  expect(lines[0]).toMatchObject({ asset_address: USDC })
})

test('a token account that is closed is found by the transaction that closes it', async () => {
  const closed: SolanaTransaction = {
    ...{ slot: SLOT + 2, signature: signature(2) },
    accounts: [
      [ME, 1_000_000, 1_000_000 + 2_039_280 - FEE],
      [MY_USDC, 2_039_280, 0],
    ],
    tokens: [{ account: MY_USDC, mint: USDC, owner: ME, before: 0 }],
  }
  const { lines, end } = await read(ledgerOf([received(1), closed]))
  expect(edges(lines)).toEqual([`token ${OTHER} ${ME} 500`])
  expect(end.incomplete).toEqual([])
})

test('an old transaction does not state the owners of token accounts', async () => {
  const tokens = received(1).tokens!.map(({ account, mint, before, after }) => ({
    ...{ account, mint, before: before!, after: after! },
  }))
  const held = [{ account: MY_USDC, owner: ME, mint: USDC }]
  expect(edges((await read(ledgerOf([received(1, { tokens })], held))).lines)).toEqual([
    `token ${OTHER_USDC} ${ME} 500`,
  ])
})

test('wrapped SOL is SOL, and wrapping pays nobody', async () => {
  const wrap: SolanaTransaction = {
    ...{ slot: SLOT + 1, signature: signature(1) },
    accounts: [
      [ME, 10_000_000, 10_000_000 - 3_000_000 - FEE],
      [MY_WRAPPED, 0, 3_000_000],
    ],
    tokens: [{ account: MY_WRAPPED, mint: WRAPPED, owner: ME, after: 960_720 }],
    instructions: [system(ME, MY_WRAPPED, 3_000_000)],
  }
  const swap: SolanaTransaction = {
    ...{ slot: SLOT + 2, signature: signature(2) },
    accounts: [
      [ME, 7_000_000, 7_000_000 - FEE],
      [MY_WRAPPED, 3_000_000, 2_500_000],
      [POOL_WRAPPED, 9_000_000, 9_500_000],
      [MY_USDC, 2_039_280, 2_039_280],
      [OTHER_USDC, 2_039_280, 2_039_280],
    ],
    tokens: [
      { account: MY_WRAPPED, mint: WRAPPED, owner: ME, before: 960_720, after: 460_720 },
      { account: POOL_WRAPPED, mint: WRAPPED, owner: POOL, before: 9, after: 9 },
      { account: MY_USDC, mint: USDC, owner: ME, before: 0, after: 70 },
      { account: OTHER_USDC, mint: USDC, owner: POOL, before: 100, after: 30 },
    ],
    inner: [spl(MY_WRAPPED, POOL_WRAPPED, 500_000), spl(OTHER_USDC, MY_USDC, 70)],
  }
  const { lines } = await read(ledgerOf([wrap, swap]))
  expect([...edges(lines)].sort()).toEqual([`native ${ME} ${POOL} 500000`, `token ${POOL} ${ME} 70`])
})

test('balances that no known instruction explains are divided among the other side', async () => {
  const accounts: SolanaTransaction['accounts'] = [
    [OTHER, 10_000, 10_000 - 600 - FEE],
    [POOL, 5_000, 4_700],
    [ME, 0, 601],
    [MY_USDC, 1, 300],
  ]
  const { lines } = await read(ledgerOf([paid(1, SLOT, { accounts, instructions: [] })]))
  expect(edges(lines)).toEqual([`native ${OTHER} ${ME} 400`, `native ${POOL} ${ME} 201`])
})

test('an instruction that the balances deny is not believed', async () => {
  const { lines } = await read(ledgerOf([paid(1, SLOT, { instructions: [system(POOL, ME, 9_999)] })]))
  expect(edges(lines)).toEqual([`native ${OTHER} ${ME} 700`])
})

test('who only passed an amount on is left out', async () => {
  const accounts: SolanaTransaction['accounts'] = [
    [OTHER, 10_000_000, 10_000_000 - 700 - FEE],
    [POOL, 0, 0],
    [ME, 500, 1_200],
  ]
  const instructions = [system(OTHER, POOL, 700), system(POOL, ME, 700)]
  expect(edges((await read(ledgerOf([paid(1, SLOT, { accounts, instructions })]))).lines)).toEqual([
    `native ${OTHER} ${ME} 700`,
  ])
})

test('what was made from nothing has no payer', async () => {
  const tokens = [{ account: MY_USDC, mint: USDC, owner: ME, before: 0, after: 500 }]
  const held = [{ account: MY_USDC, owner: ME, mint: USDC }]
  const { lines } = await read(ledgerOf([received(1, { tokens, instructions: [] })], held))
  expect(edges(lines)).toEqual([`token  ${ME} 500`])
})

test('a failed transaction moves nothing but its fee', async () => {
  const failed = paid(1, SLOT, {
    err: { InstructionError: [0, { Custom: 1 }] },
    accounts: [
      [ME, 1_000_000, 1_000_000 - FEE],
      [OTHER, 1, 1],
    ],
    instructions: [system(ME, OTHER, 300)],
  })
  const { lines, end } = await read(ledgerOf([failed]))
  expect({ lines, incomplete: end.incomplete }).toEqual({ lines: [], incomplete: [] })
})

test.each<[string, Partial<SolanaTransaction>]>([
  ['of a new version', { raw: { version: 1 } }],
  ['without balances', { raw: { meta: { err: null, fee: 5_000 } } }],
  [
    'with a balance below zero',
    {
      accounts: [
        [OTHER, 1, 1],
        [ME, 0, -5],
      ],
    },
  ],
  [
    'with a token account that it does not name',
    { tokens: [{ account: MY_USDC, mint: USDC, owner: ME, before: 0, after: 5 }] },
  ],
])('a transaction %s is incomplete by name', async (_name, rest) => {
  expect((await read(ledgerOf([paid(1, SLOT, rest)]))).end).toMatchObject({
    kinds: [],
    incomplete: ['unreadable_rows'],
  })
})

test('a node that has not everything is truncated', async () => {
  const ledger = ledgerOf([paid(1)])
  for (const quirks of [{ firstBlock: 5 }, { pruned: [signature(1)] }])
    expect((await read(ledger, quirks)).end).toMatchObject({ kinds: [], incomplete: ['truncated'] })
})

test('another cluster, an old head or another transaction is refused', async () => {
  const ledger = ledgerOf([paid(1)])
  const devnet = { genesis: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' }
  await expect(read(ledger, devnet)).rejects.toMatchObject({ code: 'wrong_chain' })
  const late = { ...ledger, newestAtS: ledger.newestAtS - 10_000 }
  await expect(read(late)).rejects.toMatchObject({ code: 'stale' })
  await expect(read(ledger, {}, SLOT + 1_001)).rejects.toMatchObject({ code: 'stale' })
  const foreign = paid(1, SLOT, { raw: { transaction: undefined, slot: 7 } })
  expect((await read(ledgerOf([foreign]))).end.incomplete).toEqual(['unreadable_rows'])
  await expect(read(ledgerOf([paid(1, SLOT, { raw: { slot: 7 } })]))).rejects.toMatchObject({
    code: 'malformed',
  })
})

test('signatures that repeat or go up contradict each other', async () => {
  const ledger = ledgerOf([paid(1), paid(2), paid(3)])
  const answers = solanaStandIn(ledger)
  const repeating = standInHttp((question) => {
    const call = question.body as { readonly method: string; readonly params: [string, { before?: string }] }
    if (call.method === 'getSignaturesForAddress') delete call.params[1].before
    return answers(question)
  })
  expect((await readHistory(source(), ME, repeating)).end.incomplete).toEqual(['contradicting_pages'])
  const upwards = ledgerOf([paid(3), paid(1)])
  expect((await read(upwards)).end.incomplete).toEqual(['contradicting_pages'])
})

describe('in pages', () => {
  test('is the same over any pages and refreshes', async () => {
    const slots = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 })
    await assertWithin(
      { name: 'histories of solana-rpc', full: 150, minimum: 40 },
      fc.asyncProperty(
        slots,
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
        async (drawn, pageRows, heads) => {
          const transactions = [...drawn]
            .sort((a, b) => a - b)
            .map((at, index) =>
              index % 3 === 0 ? { ...received(index), slot: SLOT + at } : paid(index, SLOT + at),
            )
          const held = [{ account: MY_USDC, owner: ME, mint: USDC }]
          const found: string[] = []
          let known: number | null = null
          for (const head of [...new Set([...heads, 14])].sort((a, b) => a - b)) {
            const ledger = { ...ledgerOf(transactions, held), newest: SLOT + head }
            const { lines, end } = await read(ledger, { pageRows }, known)
            expect(end.incomplete).toEqual([])
            found.push(...lines.map((line) => String(line['tx_hash'])))
            known = end.head.height
          }
          expect(found.sort()).toEqual(transactions.map((one) => one.signature).sort())
        },
      ),
    )
  })
})
