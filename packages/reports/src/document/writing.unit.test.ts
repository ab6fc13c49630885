import { expect, test } from 'vitest'
import { en } from './strings.en.js'
import { dollarText } from './writing.js'

test.each([
  ['0', '$0.00'],
  ['0.000001', '< $0.01'],
  ['0.019999', '$0.01'],
  ['1234567', '$1,234,567.00'],
  [null, 'no price'],
])('%s dollars read %s: a positive amount is never rounded to nothing', (amount, text) => {
  expect(dollarText(amount, en)).toBe(text)
})
