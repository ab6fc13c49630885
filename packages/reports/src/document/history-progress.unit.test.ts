import { expect, test } from 'vitest'
import { historyProgressText, type HistoryProgress } from './history-progress.js'

const of = (over: Partial<HistoryProgress>): string =>
  historyProgressText({
    ...{ status: 'reading', reason: null, provider: 'explorer', pages: 3, pages_expected: 5, waiting: 0 },
    ...over,
  })

test.each<[string, Partial<HistoryProgress>]>([
  ['The history of the address is being read: 3 of 5 pages.', {}],
  ['The history of the address is being read: 3 pages so far.', { pages_expected: null }],
  ['The history of the address is being read: 3 of 5 pages. 2 more histories wait.', { waiting: 2 }],
  ['The history is read.', { status: 'read' }],
  [
    'The history of the address or of a counterparty could not be read from explorer: the calls of the day are used up.',
    { status: 'failed', reason: 'day_budget' },
  ],
  ['The reading has stopped. It goes on with the next screen of the address.', { status: 'stopped' }],
  [
    'The reading has stopped. It goes on with the next screen of the address.',
    { status: 'of a later version' },
  ],
])('%s', (text, over) => {
  expect(of(over)).toBe(text)
})
