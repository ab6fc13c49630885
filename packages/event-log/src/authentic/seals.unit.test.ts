import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RecordKeys } from './record-keys.js'
import { sealsOf } from './seals.js'

const keyOf = (letter: string) => createSecretKey(Buffer.alloc(32, letter))
const keys = (activeId: string, ids: readonly string[]): RecordKeys => ({
  activeId,
  byId: new Map(ids.map((id) => [id, keyOf(id)])),
})
const seals = sealsOf(keys('a', ['a', 'b']))

test('a seal is believed by every process that has its key, also after another key became the active one', () => {
  const seal = seals.seal('purpose', 'text')
  expect(seals.isSealed(seal, 'purpose', 'text')).toBe(true)
  expect(sealsOf(keys('b', ['a', 'b'])).isSealed(seal, 'purpose', 'text')).toBe(true)
  expect(sealsOf(keys('b', ['b'])).isSealed(seal, 'purpose', 'text')).toBe(false)
})

test.each([
  ['another text', 'purpose', 'texts'],
  ['another purpose', 'purposes', 'text'],
  ['a letter that changed sides', 'purposet', 'ext'],
])('a seal is not one of %s', (_, purpose, text) => {
  expect(seals.isSealed(seals.seal('purpose', 'text'), purpose, text)).toBe(false)
})

test.each(['', '.', 'a', 'a.', 'c.x', 'a.é'])('%j is no seal', (text) => {
  expect(seals.isSealed(text, 'purpose', 'text')).toBe(false)
})

test('the name of a key is part of its seal', () => {
  const [, mac] = seals.seal('purpose', 'text').split('.')
  expect(seals.isSealed(`b.${mac}`, 'purpose', 'text')).toBe(false)
})
