import { describe, expect, it } from 'vitest'
import { textRuns } from './text-runs.js'

describe('a text', () => {
  it('is one run where one font has all of it', () => {
    expect(textRuns('Lazarus Група Λάζαρος, 12.5%')).toEqual([
      { text: 'Lazarus Група Λάζαρος, 12.5%', font: 'text' },
    ])
  })

  it('changes the font where the script changes', () => {
    expect(textRuns('A 拉撒路集团 B 라자루스').map(({ font }) => font)).toEqual([
      'text',
      'han',
      'text',
      'hangul',
    ])
  })

  it('keeps the fixed width of codes', () => {
    expect(textRuns('0xAbc…123', 'code')).toEqual([{ text: '0xAbc…123', font: 'code' }])
  })

  it('shows the number of a character that no font has', () => {
    expect(textRuns('a\u{10348}b')).toEqual([{ text: 'a[U+10348]b', font: 'text' }])
  })

  it('loses no character, whatever it holds', () => {
    for (const text of ['', ' ', 'x\u0301', '😀', 'ab\u0e01', '𝒳', '\u{10ffff}'])
      expect(textRuns(text).reduce((sum, run) => sum + run.text.length, 0)).toBeGreaterThanOrEqual(
        text.length,
      )
  })
})

describe('right-to-left text', () => {
  const printed = (text: string) =>
    textRuns(text)
      .map((run) => run.text)
      .join('')

  it('has its words in the order of print and their letters in the order of reading', () => {
    expect(printed('مجموعة قرصنة')).toBe('قرصنة مجموعة')
  })

  it('keeps the place of the words around it', () => {
    expect(printed('by مجموعة قرصنة (mixer)')).toBe('by قرصنة مجموعة (mixer)')
  })

  it('keeps numbers in it from left to right', () => {
    expect(printed('شارع 123 دمشق')).toBe('دمشق 123 شارع')
  })
})
