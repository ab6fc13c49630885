import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSealingKey, exchangeSealed, keyIdOf, keyIdsIn } from './sealed-text.js'

const secret = randomBytes(32)
const key = createSealingKey(secret, { keyId: '00aa11bb22cc33dd', accountId: 'acc_1' })
const texts = ['case 7', 'a', 'ü“\n\t"\\', '👍'.repeat(2_000), 'sealed1.00aa11bb22cc33dd.AAAA']

test.each(texts)('%j is opened as it was sealed, and one text of an account has one sealed form', (text) => {
  const sealed = key.seal(text)
  expect(key.open(sealed)?.text).toBe(text)
  // Reads it as a process that did not seal it.
  expect(createSealingKey(secret, key).open(sealed)).toEqual(key.open(sealed))
  expect(key.seal(text)).toBe(sealed)
  expect(keyIdOf(sealed)).toBe('00aa11bb22cc33dd')
  // JSON contains it unchanged, and it reveals nothing of the text.
  expect(JSON.stringify(sealed)).toBe(`"${sealed}"`)
  if (text.length > 3) expect(sealed).not.toContain(text)
})

test('a sealed text that was sealed again is opened once', () => {
  const inner = key.seal('case 7')
  expect(key.open(key.seal(inner))?.text).toBe(inner)
})

test('no other key, account or key id opens it, and no changed character passes', () => {
  const sealed = key.seal('case 7')
  const others = [
    createSealingKey(randomBytes(32), key),
    createSealingKey(secret, { keyId: key.keyId, accountId: 'acc_2' }),
    createSealingKey(secret, { keyId: '00aa11bb22cc33de', accountId: 'acc_1' }),
  ]
  expect(others.map((other) => other.open(sealed))).toEqual([null, null, null])
  const start = sealed.lastIndexOf('.') + 1
  for (let at = start; at < sealed.length; at += 1) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
    expect(key.open(changed)).toBeNull()
  }
  for (const malformed of ['', 'sealed1.', sealed.slice(0, -1), `${sealed}A`, ` ${sealed}`])
    expect(key.open(malformed)).toBeNull()
})

test('whoever has text and salt can check that the sealed text is that of the text', () => {
  const sealed = key.seal('case 7')
  const { salt } = key.open(sealed)!
  const commitment = createHash('sha256').update(salt).update('case 7').digest()
  const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url')
  expect(bytes.subarray(0, 32).equals(commitment)).toBe(true)
  expect(createSealingKey(secret, { ...key, accountId: 'acc_2' }).seal('case 7')).not.toBe(sealed)
})

test('sealed texts within a text are found and exchanged, each by itself', () => {
  const [one, two] = [key.seal('one'), key.seal('two')]
  const json = JSON.stringify({ a: one, b: [two, 'plain'], c: `${one} and ${two}` })
  expect(keyIdsIn(json)).toEqual(new Set([key.keyId]))
  const opened = exchangeSealed(json, (sealed) => key.open(sealed)!.text)
  expect(JSON.parse(opened)).toEqual({ a: 'one', b: ['two', 'plain'], c: 'one and two' })
})
