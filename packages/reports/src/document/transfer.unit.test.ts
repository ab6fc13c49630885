import type { Report } from '@cupel/contracts'
import { transferReasons } from '@cupel/domain'
import { sampleReport } from '@cupel/testkit'
import { expect, it } from 'vitest'
import { en, reportDocument, transferReasonText } from './index.js'
import { transferReasonWords } from './transfer-reasons.en.js'

const transfer = (changes: Partial<NonNullable<Report['transfer']>> = {}): Report =>
  sampleReport({
    transfer: {
      recommendation: 'review',
      reasons: [{ code: 'counterparty_grey', recommendation: 'review' }],
      ...{ direction: 'outgoing', own_address: 'own', transaction_hash: 'hash', planned: false },
      asset: { symbol: null, contract: 'contract', is_known: false },
      ...{ amount: '7', amount_base_units: null, value_usd: null, priced_on: null, funds: null },
      ledger: { status: 'not_seen', snapshot: '4' },
      ...changes,
    },
  })

it.each(transferReasons)('says %s in a sentence, and what a person can do about it', (code) => {
  const { text, remedy } = transferReasonText(code)
  expect(text).toMatch(/^\p{Lu}.*\.$/u)
  if (remedy !== '') expect(remedy).toMatch(/^\p{Lu}.*\.$/u)
})

it('has words for the reasons of the scorer and for no others', () => {
  expect(Object.keys(transferReasonWords).sort()).toEqual([...transferReasons].sort())
})

it('names sender and receiver by the direction, and a token that nobody knows', () => {
  const { address } = transfer()
  const fieldsOf = (report: Report) =>
    Object.fromEntries(reportDocument(report).transfer!.fields.map(({ label, value }) => [label, value]))
  expect(fieldsOf(transfer())).toMatchObject({
    ...{ From: 'own', To: address, Amount: '7 of an unknown token', Value: en.noPrice },
    ...{ Contract: 'contract', Transaction: 'hash', Ledger: 'does not have the transaction' },
  })
  expect(fieldsOf(transfer({ direction: 'incoming' }))).toMatchObject({ From: address, To: 'own' })
})

it('shows codes of a later version as they are, and no invisible character', () => {
  const view = reportDocument(
    transfer({
      ...{ recommendation: 'hold', own_address: 'o\u202En' },
      reasons: [{ code: 'later_reason', recommendation: 'hold' }],
    }),
  ).transfer!
  expect(view.headline).toBe('hold: send 7 of an unknown token')
  expect(view.reasons).toEqual([{ code: 'later_reason', text: 'later reason' }])
  expect(view.fields[0]!.value).toBe('o[U+202E]n')
})

it('is absent from the report of an address that was screened by itself', () => {
  expect(reportDocument(sampleReport()).transfer).toBeNull()
})
