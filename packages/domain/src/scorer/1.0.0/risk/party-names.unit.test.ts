import { describe, expect, test } from 'vitest'
import { namesParty, normalizedName } from './party-names.js'

const isNamed = (name: string, party: string): boolean =>
  namesParty(normalizedName(name), normalizedName(party))

describe('a name is normalized', () => {
  test.each([
    ['GARANTEX EUROPE OU', 'garantex europe'],
    ['Garantex  Europe OÜ', 'garantex europe'],
    ['  "Suex" OTC, s.r.o.', 'suex otc'],
    ['SUEX OTC, S.R.O.', 'suex otc'],
    ['Bank S.A.', 'bank'],
    ['Bank S A', 'bank'],
    ['O’Neil & Sons Ltd.', 'oneil sons'],
    ['ООО «Гарантекс»', 'гарантекс'],
    ['Гарантекс, О.О.О.', 'гарантекс'],
    ['Общество с ограниченной ответственностью «Ёлка»', 'елка'],
    ['Йод', 'иод'],
    ['Cafe\u0301 Ko\u0308ln GmbH', 'cafe koln'],
    ['Café Köln GmbH', 'cafe koln'],
    ['ﬁnance ＡＢＣ', 'finance abc'],
    ['Łódź Straße', 'lodz strasse'],
    ['İstanbul', 'istanbul'],
    ['Gar\u200bantex', 'garantex'],
    ['Ltd. Co., Inc.', ''],
    ['—', ''],
    ['', ''],
    ['\u0301\u0308', ''],
  ])('%j is %j', (name, normalized) => {
    expect(normalizedName(name)).toBe(normalized)
    expect(normalizedName(normalized)).toBe(normalized)
  })
})

describe('a name is that of a party', () => {
  test.each([
    ['garantex', 'Garantex'],
    ['Garantex hot wallet 3', 'GARANTEX, OOO'],
    ['exchange: suex (OTC)', 'SUEX OTC, S.R.O.'],
    ['Биржа «Гарантекс»', 'ГАРАНТЕКС ООО'],
  ])('%j is %j', (name, party) => expect(isNamed(name, party)).toBe(true))

  test.each([
    ['Garantexa', 'Garantex'],
    ['Garantex', 'Garantex Europe'],
    ['Some Exchange Ltd', 'Ltd.'],
    ['Some Exchange', ''],
    ['Some Exchange', '\u0301'],
    ['', ''],
  ])('%j is not %j', (name, party) => expect(isNamed(name, party)).toBe(false))
})
