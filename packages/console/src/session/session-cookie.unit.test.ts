import { expect, test } from 'vitest'
import { csrfToken, isCsrfToken } from './session-cookie.js'

test('a form counts only with the token of its own browser, also if that of another one is as long', () => {
  const [own, other] = [csrfToken('secret of this browser'), csrfToken('secret of another browser')]
  expect(other).toHaveLength(own.length)
  expect(isCsrfToken(own, 'secret of this browser')).toBe(true)
  for (const given of [other, own.slice(1), `${own}=`, ''])
    expect(isCsrfToken(given, 'secret of this browser'), given).toBe(false)
})
