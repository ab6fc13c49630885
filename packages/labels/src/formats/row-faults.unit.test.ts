import { describe, expect, test } from 'vitest'
import { faultOfRow } from './row-faults.js'
import type { LabelRow } from './label-source.js'

const NOW = new Date('2026-11-20T12:00:00Z')

const row = (changes: Partial<LabelRow>): LabelRow => ({
  line: 1,
  address: '0xab',
  chain: 'ETH',
  chainHint: null,
  category: 'scam',
  entity: 'Somebody',
  source: null,
  sourceUrl: '',
  confidencePpm: null,
  kind: null,
  observedAt: null,
  validFrom: null,
  ...changes,
})

describe('names', () => {
  test.each([
    ['a right-to-left override', 'Binance\u202e', 'U+202E'],
    ['a right-to-left mark', '\u200fBinance', 'U+200F'],
    ['an isolate', 'Bin\u2066ance', 'U+2066'],
    ['an Arabic letter mark', 'Bin\u061cance', 'U+061C'],
    ['a line feed', 'Binance\nLevel: green', 'U+000A'],
    ['an escape', '\u001b[32mgreen', 'U+001B'],
    ['a control character of Latin-1', 'Binance\u0085', 'U+0085'],
    ['a line separator', 'Binance\u2028', 'U+2028'],
    ['half a surrogate pair', 'Binance\ud83d', 'U+D83D'],
  ])('with %s are refused', (_what, text, character) => {
    const reason = `holds the control or direction character ${character}`
    expect(faultOfRow(row({ entity: text }), NOW)).toBe(`entity ${reason}`)
    expect(faultOfRow(row({ source: text }), NOW)).toBe(`source ${reason}`)
    expect(faultOfRow(row({ sourceUrl: text }), NOW)).toBe(`source_url ${reason}`)
  })

  test.each(['Garantex Europe OÜ', 'ООО «Рога и Копыта»', 'الشركة', 'می‌خواهم', '取引所', 'Pay 💸'])(
    'of any script are accepted: %s',
    (entity) => {
      expect(faultOfRow(row({ entity }), NOW)).toBeNull()
    },
  )
})

describe('observations', () => {
  test('more than a day in the future are refused', () => {
    const observedAt = '2026-11-21T12:00:00.001Z'
    expect(faultOfRow(row({ observedAt }), NOW)).toBe('observed_at lies in the future: "2026-11-21"')
    expect(faultOfRow(row({ observedAt: '2999-01-01T00:00:00.000Z' }), NOW)).toContain('2999-01-01')
  })

  test('of tomorrow are accepted, because clocks differ', () => {
    expect(faultOfRow(row({ observedAt: '2026-11-21T12:00:00.000Z' }), NOW)).toBeNull()
  })
})
