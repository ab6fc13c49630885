import { en, reasonText } from '@cupel/reports/document'
import { expect, test } from 'vitest'
import { watchesText } from './watches-text.js'

const watch = (changes: object = {}) => ({
  ...{ watch_id: 'wat_1', address: '0xabc', chain: 'ETH', status: 'active', list_reasons: [] },
  ...{ last_report: { level: 'green', score: 2.5 }, ...changes },
})

test('a list that is too old is named with its remedy, once for all watches', () => {
  const items = [watch({ list_reasons: ['stale_labels'] }), watch({ list_reasons: ['stale_labels'] })]
  const text = watchesText({ items, next_page_token: null })
  expect(text.split('\n')[0]).toBe(`No watched address is green now: ${reasonText('stale_labels')}`)
  expect(text).toContain(en.remedies['stale_labels'])
  expect(text.match(/No watched address is green now/g)).toHaveLength(1)
})

test('nothing is said of lists that are fresh, and a watch says whether it was decided', () => {
  const text = watchesText({ items: [watch(), watch({ last_report: null })], next_page_token: 'more' })
  expect(text).not.toContain('green now')
  expect(text).toMatch(/Green 2\.5/i)
  expect(text).toContain('not decided yet')
  expect(text).toContain('--page-token more')
})
