import { expect, test } from 'vitest'
import { transferListText, transferText, type ShownTransfer } from './transfer-text.js'

const plain = (_style: string, text: string): string => text
const transfer: ShownTransfer = {
  ...{ transfer_id: '9f2c4a1be07d6358', recommendation: 'review', level: 'grey', score: 0, chain: 'ETH' },
  ...{ direction: 'incoming', from: '0xsender', to: '0xown', amount: '12.5', value_usd: '12.51' },
  asset: { symbol: 'USDT', contract: '0xdac1' },
  ...{ transaction_hash: null, reference: null, generated_at: '2026-11-21T09:00:01.040Z' },
  reasons: [
    { code: 'counterparty_grey', text: 'Too little is known.', remedy: 'A person decides.' },
    { code: 'counterparty_is_contract', text: 'A contract\u202E.', remedy: null },
  ],
  funds: {
    total_complete: false,
    by_category: [{ category: 'darknet', share: 0.25, amount: '3.125 USD' }],
  },
  counterparty: { report_url: 'https://example.org/reports/9f2c4a1be07d6358', score_is_lower_bound: false },
}

test('a transfer is told with its recommendation first, each reason with its remedy, and the funds', () => {
  const text = transferText(transfer, plain)
  expect(text.split('\n')[0]).toBe('REVIEW  incoming 12.5 USDT on ETH')
  expect(text).toContain('- Too little is known. A person decides. (counterparty_grey)')
  expect(text).toContain('as far as the ledger knows')
  expect(text).toContain('25 % darknet (3.125 USD)')
  expect(text).toContain('planned')
  expect(text).not.toContain('\u202E')
})

test('the list has a line for each transfer, and names the next page', () => {
  const text = transferListText({ items: [transfer], next_page_token: 'more' })
  expect(text).toContain('9f2c4a1be07d6358')
  expect(text).toContain('--page-token more')
  expect(transferListText({ items: [], next_page_token: null })).toBe('No transfers were screened.')
})

test('an other side that is not cleared is called that without points, and a score that may be too low says so', () => {
  const shown = transferText(transfer, plain)
  expect(shown).toContain('the other side: Not cleared\n')
  expect(transferListText({ items: [transfer], next_page_token: null })).toMatch(/Not cleared {2,}-/)
  const counterparty = { ...transfer.counterparty, score_is_lower_bound: true }
  const known = { ...transfer, counterparty, level: 'orange', score: 40 }
  expect(transferText(known, plain)).toContain('the other side: Orange 40, or more: something')
  expect(transferText({ ...known, level: 'red', score: 100 }, plain)).toContain('the other side: Red 100\n')
})
