import { describe, expect, test } from 'vitest'
import { cleanLabel, judged } from '../../../../test/judgement-builders.js'
import { mixesScripts } from './look-alikes.js'

describe('a name mixes scripts', () => {
  test.each([
    ['G\u0430rantex', 'a Cyrillic letter in a Latin word'],
    ['Гaрантекс', 'a Latin letter in a Cyrillic word'],
    ['Suex \u039fTC', 'a Greek letter in the second word'],
    ['Bina\u13a1ce', 'a Cherokee letter'],
    ['Huo\u0562i', 'an Armenian letter that looks like no other'],
    ['Koin\u2c9fm', 'a Coptic letter'],
  ])('%j: %s', (name) => expect(mixesScripts(name)).toBe(true))

  test.each([
    ['Garantex Гарантекс', 'words of two scripts'],
    ['Биржа №1 (BTC)', 'a ticker after a Cyrillic word'],
    ['ビットバンクBTC取引所', 'Japanese with Latin letters'],
    ['코인One', 'Korean with Latin letters'],
    ['Société Générale 24', 'diacritics and digits'],
    ['O’Neil & Sons', 'punctuation'],
    ['', 'nothing'],
  ])('%j does not: %s', (name) => expect(mixesScripts(name)).toBe(false))
})

test('a clean label whose name mixes scripts may be anybody’s, so it is a conflict by itself', () => {
  const entity = 'Koin\u2c9fm'
  expect(judged([cleanLabel({ entity })])).toMatchObject({
    ...{ level: 'grey', levelReasons: ['conflict'] },
    conflicts: [{ category: 'sanctions', clean_entity: entity, illicit_entity: entity }],
  })
})
