import { authorityOrigins } from '@cupel/domain'
import { sampleReport } from '@cupel/testkit'
import { expect, it } from 'vitest'
import { reportDocument, setName } from './index.js'
import { sourceNames } from './source-names.en.js'

it('the list of every authority has a name', () => {
  expect(Object.keys(authorityOrigins).length).toBeGreaterThan(3)
  expect(Object.keys(sourceNames)).toEqual(expect.arrayContaining(Object.keys(authorityOrigins)))
})

it('a list is named by its publisher in words, and a publisher without a name by its code', () => {
  expect(setName({ source: 'ofac_sdn', dataset: 'sdn' })).toBe('SDN list of OFAC / sdn')
  expect(setName({ source: 'my_list', dataset: 'a\u202Eb' })).toMatch(/^my_list \/ a(?!\u202E)/)
  expect(setName({ source: '', dataset: 'sdn' })).toBe('sdn')
  expect(setName({ source: 'constructor', dataset: 'x' })).toBe('constructor / x')
})

it('an item of evidence has the name of its publisher before the code', () => {
  const [item] = reportDocument(sampleReport()).why.counted
  expect(item!.fields).toContainEqual({ label: 'Source', value: 'ofac_sdn', words: 'SDN list of OFAC' })
})
