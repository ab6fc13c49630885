import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RecordKeys } from './record-keys.js'
import { textMacsOf } from './text-mac.js'

const keyOf = (letter: string) => createSecretKey(Buffer.alloc(32, letter))
const keys = (activeId: string, ids: readonly string[]): RecordKeys => ({
  activeId,
  byId: new Map(ids.map((id) => [id, keyOf(id)])),
})
const macs = textMacsOf(keys('a', ['a', 'b']))

test('a MAC is believed by every process that has its key, also after another key became the active one', () => {
  const made = macs.macOf('purpose', 'text')
  expect(macs.isMac(made, 'purpose', 'text')).toBe(true)
  expect(textMacsOf(keys('b', ['a', 'b'])).isMac(made, 'purpose', 'text')).toBe(true)
  expect(textMacsOf(keys('b', ['b'])).isMac(made, 'purpose', 'text')).toBe(false)
})

test.each([
  ['another text', 'purpose', 'texts'],
  ['another purpose', 'purposes', 'text'],
  ['a letter that changed sides', 'purposet', 'ext'],
])('a MAC is not one of %s', (_, purpose, text) => {
  expect(macs.isMac(macs.macOf('purpose', 'text'), purpose, text)).toBe(false)
})

test.each(['', '.', 'a', 'a.', 'c.x', 'a.é'])('%j is not a MAC', (text) => {
  expect(macs.isMac(text, 'purpose', 'text')).toBe(false)
})

test('the name of a key is part of its MAC', () => {
  const [, mac] = macs.macOf('purpose', 'text').split('.')
  expect(macs.isMac(`b.${mac}`, 'purpose', 'text')).toBe(false)
})
