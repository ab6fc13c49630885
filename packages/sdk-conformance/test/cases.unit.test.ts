/** The cases are valid: each matches the schema and has a unique name. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { conformanceCases } from '../src/index.js'

const files = conformanceCases()
const all = [...files.values()].flat()

test.each([...files])('%s.json has the form of a file of cases', (_name, cases) => {
  const schema = JSON.parse(readFileSync(new URL('../case.schema.json', import.meta.url), 'utf8')) as object
  const ajv = new Ajv2020({ allErrors: true, formats: { 'date-time': true }, allowUnionTypes: true })
  expect(ajv.validate(schema, cases), ajv.errorsText()).toBe(true)
})

test('there are at least 150 cases, each with a name of its own', () => {
  expect(all.length).toBeGreaterThanOrEqual(150)
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
})
