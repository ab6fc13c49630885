import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { isAllowed, surprises } from './surprises.mjs'
import { idOf, readDependencies } from './read.mjs'
import { billOfMaterials } from './sbom.mjs'

const agreed = JSON.parse(readFileSync(join(root, 'dependencies.json'), 'utf8'))
let dependencies
beforeAll(() => void (dependencies = readDependencies(root)))

test('no dependency has a licence or an install script that nobody agreed to', () => {
  expect(surprises(dependencies, agreed)).toEqual([])
})

test('all that a member of the workspace names is read, and what runs is told from what develops', () => {
  const named = (name) => dependencies.find((one) => one.name === name)
  expect(named('pg')).toMatchObject({ isRuntime: true, isDirect: true, licence: 'MIT' })
  expect(named('pg-connection-string')).toMatchObject({ isRuntime: true, isDirect: false })
  expect(named('vitest')).toMatchObject({ isRuntime: false, isDirect: true })
  expect(dependencies.length).toBeGreaterThan(500)
})

describe('a surprise is', () => {
  /** @type {import('./read.mjs').Dependency} */
  const fine = {
    ...{ name: 'a', version: '1.0.0', licence: 'MIT', installScripts: [], integrity: 'sha512-AA==' },
    ...{ dependsOn: [], isRuntime: true, isDirect: true },
  }
  const rules = { licences: ['MIT', 'ISC'], licences_of: {}, install_scripts: { built: 'why' } }
  test.each([
    [
      'a licence that is not on the list',
      { licence: 'GPL-3.0-only' },
      /^a@1\.0\.0 has the licence GPL-3\.0-only/,
    ],
    ['no licence', { licence: null }, /\(none\)/],
    ['an install script', { installScripts: ['postinstall'] }, /install script \(postinstall\)/],
    ['no hash', { integrity: null }, /no hash/],
  ])('%s', (_, change, sentence) => {
    expect(surprises([{ ...fine, ...change }], rules)).toEqual([expect.stringMatching(sentence)])
  })

  test('a changed statement of a package with an agreement of its own, and an agreement without its package', () => {
    const own = { ...rules, licences_of: { a: { states: null, is: 'MIT', reason: 'why' } } }
    expect(surprises([{ ...fine, licence: null }], own)).toEqual([])
    expect(surprises([fine], own)).toHaveLength(1)
    expect(surprises([], own)).toEqual([expect.stringContaining('not installed')])
  })

  test('nothing else', () => {
    expect(surprises([fine, { ...fine, name: 'built', installScripts: ['install'] }], rules)).toEqual([])
  })
})

test.each([
  ['MIT', true],
  ['GPL-3.0-only', false],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0-only', false],
  ['MIT AND (ISC OR GPL-3.0-only)', false],
  [null, false],
])('the licence %j is allowed: %j', (licence, isTaken) => {
  expect(isAllowed(licence, ['MIT', 'ISC'])).toBe(isTaken)
})

test('the bill of materials names each part that runs once, with hash and licence, and links only to parts', () => {
  const product = { name: 'cupel', version: '1.2.3', license: 'Apache-2.0' }
  const jars = readFileSync(join(root, 'deploy/kafka/jars.sha256'), 'utf8')
  const bill = billOfMaterials(product, dependencies, agreed, jars)
  const refs = bill.components.map((one) => one['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  expect(refs).toEqual(expect.arrayContaining(dependencies.filter(({ isRuntime }) => isRuntime).map(idOf)))
  expect(refs).toContain('log4j-core-2.26.1.jar')
  expect(bill.components.find(({ name }) => name === 'vitest')).toBeUndefined()
  for (const one of bill.components) {
    expect(one.hashes?.[0].content, one.name).toMatch(/^[0-9a-f]{64}([0-9a-f]{64})?$/)
    expect(one.version, one.name).toMatch(/^\d/)
    if (one.purl !== undefined) expect(one.licenses, one.name).toHaveLength(1)
  }
  expect(bill.components.find((one) => one['bom-ref'].startsWith('pg@'))?.purl).toMatch(/^pkg:npm\/pg@/)
  for (const { ref, dependsOn } of bill.dependencies)
    expect(['cupel@1.2.3', ...refs], ref).toEqual(expect.arrayContaining(dependsOn))
  expect(billOfMaterials(product, dependencies, agreed, jars)).toEqual(bill)
})
