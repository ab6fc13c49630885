/** What a caller leaves to a transaction is taken from it only if nothing else can be meant. */
import type { TransferTerms } from '@cupel/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTransfer, type StatedTransfer } from './read-transfer.js'
import { completeTerms, severalTransfers, termsOf, type Movement } from './transfer-terms.js'

const address = (digit: string): string => `0x${digit.repeat(40)}`
const [OWN, A, B] = [address('d'), address('a'), address('b')]
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const HASH = `0x${'1'.repeat(64)}`
const ETHER = 10n ** 18n

function read(changes: Partial<StatedTransfer> = {}) {
  const read = readTransfer({
    ...{ chain: 'ETH', direction: 'incoming', to: OWN, transaction_hash: HASH, ...changes },
  })
  if ('pointer' in read) throw new Error(read.detail)
  return read
}

/** As a request in the log has it. */
function leftTo(changes: Partial<StatedTransfer> = {}): Parameters<typeof completeTerms>[0] {
  const outcome = termsOf(read(changes), { movements: null, ledgerSeq: 0 })
  if (outcome.kind !== 'unread') throw new Error(outcome.kind)
  const terms: TransferTerms = { ...outcome.terms, microUsd: null, pricedOn: null }
  return { chain: 'ETH', address: outcome.screened.text, terms }
}

const moved = (counterparty: string, contract = '', amount = ETHER): Movement => ({
  ...{ counterparty, contract, amount },
})

test.each<[string, readonly Movement[] | 'not-searched' | null, string]>([
  ['without a ledger', null, 'no_ledger'],
  ['of a transaction that the ledger does not have', [], 'not_seen'],
  ['of an address with too many transfers', 'not-searched', 'not_searched'],
])('a transfer %s is left to a provider, with what is stated of it', (_what, movements, seen) => {
  const own = termsOf(read(), { movements, ledgerSeq: 0 })
  expect(own).toMatchObject({
    ...{ kind: 'unread', screened: { canonical: OWN } },
    terms: { seen, contract: null, amount: '', unstated: ['counterparty', 'asset', 'amount'] },
  })
  expect(termsOf(read({ from: A, asset: 'USDT' }), { movements, ledgerSeq: 0 })).toMatchObject({
    ...{ kind: 'unread', screened: { canonical: A } },
    terms: { seen, contract: USDT, unstated: ['amount'] },
  })
})

test('a ledger that has other transfers of the transaction leaves nothing to a provider', () => {
  const movements = [moved(A)]
  expect(termsOf(read({ asset: 'USDT' }), { movements, ledgerSeq: 1 })).toEqual({ kind: 'not-found' })
})

test('a token that the asset table lacks can be meant too, in any amount', () => {
  const unknown = moved(B, address('9'), 5n)
  const found = [`1 ETH ${A}`, `5 smallest units of the token ${address('9')} ${B}`]
  for (const left of [{}, { amount: '1' }])
    expect(completeTerms(leftTo(left), [moved(A), unknown])).toEqual({ kind: 'ambiguous', found })
  expect(completeTerms(leftTo({ asset: 'ETH' }), [moved(A), unknown])).toMatchObject({ kind: 'terms' })
  expect(completeTerms(leftTo({ from: A }), [moved(A), unknown])).toMatchObject({ kind: 'terms' })
  // Nobody knows how much one whole of it is.
  const stated = read({ from: B, asset: address('9'), amount: '5' })
  expect(termsOf(stated, { movements: [unknown], ledgerSeq: 1 })).toMatchObject({
    terms: { seen: 'contradicted' },
  })
})

test('what is told completes what is left out, and changes nothing that is stated', () => {
  expect(completeTerms(leftTo(), [moved(A), moved(A)])).toMatchObject({
    ...{ kind: 'terms', counterparty: { canonical: A } },
    terms: { contract: '', amount: '2', ownAddress: OWN },
  })
  expect(completeTerms(leftTo({ asset: 'USDT' }), [moved(A), moved(B, USDT, 7_000_000n)])).toMatchObject({
    ...{ counterparty: { canonical: B }, terms: { contract: USDT, amount: '7' } },
  })
  expect(completeTerms(leftTo({ from: A, asset: 'ETH' }), [moved(B)])).toEqual({ kind: 'not-found' })
  expect(completeTerms(leftTo({ amount: '2' }), [moved(A)])).toEqual({ kind: 'not-found' })
  expect(completeTerms(leftTo(), [])).toEqual({ kind: 'not-found' })
  // Value that was made has no counterparty, and a token outside the asset table has no amount.
  expect(completeTerms(leftTo(), [moved('')])).toEqual({ kind: 'not-found' })
  expect(completeTerms(leftTo(), [moved(A, address('9'))])).toEqual({ kind: 'not-found' })
})

test('one transfer is found exactly if one counterparty and asset can be meant', () => {
  const one = fc.record({
    counterparty: fc.constantFrom(A, B, OWN),
    contract: fc.constantFrom('', USDT),
    amount: fc.constantFrom(1n, 2n),
  })
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 5 }), (movements) => {
      const meant = new Set(movements.map(({ counterparty, contract }) => `${counterparty} ${contract}`))
      const outcome = completeTerms(leftTo(), movements)
      expect(outcome.kind).toBe(meant.size === 1 ? 'terms' : 'ambiguous')
      if (outcome.kind === 'ambiguous') expect(outcome.found).toHaveLength(meant.size)
    }),
  )
})

test('a sentence names five of many', () => {
  const found = Array.from({ length: 7 }, (_, at) => `1 ETH number ${at}`)
  expect(severalTransfers(found)).toContain('has 7 such transfers')
  expect(severalTransfers(found)).toContain('number 4; …')
  expect(severalTransfers(found)).not.toContain('number 5')
})
