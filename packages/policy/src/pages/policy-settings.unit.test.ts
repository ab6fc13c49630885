import { defaultPolicy } from '@cupel/domain'
import { expect, test } from 'vitest'
import {
  numberAt,
  settingName,
  settingSections,
  simpleSettings,
  valueText,
  withNumbers,
} from './policy-settings.js'

const settings = settingSections(defaultPolicy).flatMap((section) => section.settings)

test('every setting is shown once, with a meaning, in the order of the schema', () => {
  expect(new Set(settings.map(({ path }) => path)).size).toBe(settings.length)
  expect(settings.filter(({ meaning }) => meaning === '').map(({ path }) => path)).toEqual([])
  expect(settings[0]?.path).toBe('levels.orange')
})

test('a setting in a group also says what the group is', () => {
  const cap = settings.find(({ path }) => path === 'exposure.caps.mixer.indirect.out')
  expect(cap?.meaning).toMatch(/^Highest points of indirect exposure\. Value that went out\./)
})

test('values read as a person writes them', () => {
  expect(valueText(10_000)).toBe('10,000')
  expect(valueText([])).toBe('none')
  expect(valueText([{ origin: 'us-ofac', when: 'once_published' }])).toBe('origin OFAC, when once published')
})

test('a setting is named in words', () => {
  const words = ['levels.red', 'exposure.direct_sanctions_minimum', 'transfers'].map(settingName)
  expect(words).toEqual(['Levels: red', 'Exposure: direct sanctions minimum', 'Transfers'])
})

test('every number of the simple form is a setting of the default policy', () => {
  for (const path of simpleSettings) expect(numberAt(defaultPolicy, path), path).not.toBeNull()
})

test('changed numbers make a new version and keep the given document and every other setting', () => {
  const before = structuredClone(defaultPolicy)
  const changed = withNumbers(
    defaultPolicy,
    new Map([
      ['levels.red', 80],
      ['levels.blue', 1],
      ['no.such', 2],
    ]),
  )
  expect(defaultPolicy).toEqual(before)
  expect(changed).toEqual({
    ...before,
    version: before.version + 1,
    levels: { ...before.levels, red: 80 },
  })
})
