import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSecretBox } from './secret-box.js'

const installationKey = randomBytes(32)
const operatorKey = 'an operator’s key of some length, 32 or more'
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

test('a sealed secret does not show the secret, differs each time, and opens to the same secret', () => {
  const box = createSecretBox({ installationKey, operatorKey: undefined })
  const [one, two] = [box.seal('we_1', secret), box.seal('we_1', secret)]
  expect(one.equals(two)).toBe(false)
  expect(one.toString('latin1')).not.toContain(secret.slice(6, 14))
  expect(box.open('we_1', one)).toBe(secret)
})

test('it opens only for its own endpoint, and not with a changed bit', () => {
  const box = createSecretBox({ installationKey, operatorKey })
  const sealed = box.seal('we_1', secret)
  expect(() => box.open('we_2', sealed)).toThrow()
  for (let bit = 8; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => box.open('we_1', changed)).toThrow()
  }
})

test('with an operator’s key the database by itself opens no secret; secrets sealed before the key was set still open', () => {
  const before = createSecretBox({ installationKey, operatorKey: undefined })
  const after = createSecretBox({ installationKey, operatorKey })
  expect(after.open('we_1', before.seal('we_1', secret))).toBe(secret)
  const sealed = after.seal('we_1', secret)
  expect(() => before.open('we_1', sealed)).toThrow(/CUPEL_WEBHOOK_SECRETS_KEY, which is not set/)
  const other = createSecretBox({ installationKey, operatorKey: `${operatorKey}!` })
  expect(() => other.open('we_1', sealed)).toThrow()
})
