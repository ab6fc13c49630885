/** Nothing that clients of the released API rely on is removed or narrowed. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openapiDocument } from '../src/openapi-document.js'
import { breakingChanges } from './api-compatibility.js'

const released = readFileSync(new URL('../../../docs/api/released/v1.json', import.meta.url), 'utf8')
// oxlint-disable-next-line typescript/no-explicit-any -- a document to break at will
type Any = any
const parse = (text: string): Any => JSON.parse(text)

test('the API breaks nobody who calls the released one', () => {
  expect(breakingChanges(parse(released), parse(openapiDocument()))).toEqual([])
})

const screenOf = (document: Any): Any => document.paths['/v1/screen'].post
const request = (document: Any): Any => document.components.schemas.ScreenRequest
const report = (document: Any): Any => document.components.schemas.Report
const pageSize = (document: Any): Any =>
  document.paths['/v1/reports'].get.parameters.find((one: Any) => one.name === 'page_size').schema
const problemExamples = (document: Any, status: number): Any => {
  const response = screenOf(document).responses[status]
  const name = response.$ref?.split('/').at(-1)
  const { content } = name === undefined ? response : document.components.responses[name]
  return content['application/problem+json'].examples
}

describe('it is a break that', () => {
  test.each<[string, (document: Any) => void, RegExp]>([
    ['an endpoint goes', (d) => delete d.paths['/v1/chains'], /GET \/v1\/chains is gone/],
    ['an operation is renamed', (d) => (screenOf(d).operationId = 'screen'), /operationId is another/],
    ['an open endpoint needs a key', (d) => delete d.paths['/healthz'].get.security, /needs a key/],
    ['a status goes', (d) => delete screenOf(d).responses['422'], /422 is gone/],
    ['a code goes', (d) => delete problemExamples(d, 400).invalid_address, /code invalid_address is gone/],
    [
      'a header goes',
      (d) => delete screenOf(d).responses['200'].headers['Request-Id'],
      /header Request-Id is gone/,
    ],
    [
      'a media type goes',
      (d) => delete screenOf(d).responses['200'].content['application/json'],
      /json is gone/,
    ],
    [
      'a body type is not taken',
      (d) => delete screenOf(d).requestBody.content['application/json'],
      /is not taken/,
    ],
    ['a parameter goes', (d) => d.paths['/v1/reports'].get.parameters.pop(), /parameter \w+ is gone/],
    [
      'a parameter becomes required',
      (d) => (d.paths['/v1/reports'].get.parameters.at(-1).required = true),
      /is required/,
    ],
    [
      'a required parameter comes',
      (d) =>
        d.paths['/v1/chains'].get.parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
      /new and required/,
    ],
    ['a page may hold less', (d) => (pageSize(d).maximum = 50), /maximum went from 200 to 50/],
    ['a page must hold more', (d) => (pageSize(d).minimum = 10), /minimum went from 1 to 10/],
    ['a member sent becomes required', (d) => request(d).required.push('chain'), /chain is required/],
    [
      'a member sent goes',
      (d) => delete request(d).properties.customer_reference,
      /customer_reference is gone/,
    ],
    [
      'a member sent has another type',
      (d) => (request(d).properties.address.type = 'integer'),
      /type string became/,
    ],
    ['a member sent is bounded', (d) => (request(d).properties.address.maxLength = 9), /maxLength went from/],
    [
      'a member sent has another pattern',
      (d) => (request(d).properties.address.pattern = '^x$'),
      /pattern is another/,
    ],
    ['a member sent is an enum', (d) => (request(d).properties.address.enum = ['ETH']), /is not taken/],
    ['a member returned goes', (d) => delete report(d).properties.report_id, /report_id is gone/],
    ['a member returned may be absent', (d) => report(d).required.shift(), /may be absent/],
    [
      'a member returned has another type',
      (d) => (report(d).properties.report_id.type = 'integer'),
      /type string became/,
    ],
    [
      'a member returned may be null',
      (d) => (report(d).properties.report_id = { anyOf: [{ type: 'string' }, { type: 'null' }] }),
      /type string became string\|null/,
    ],
  ])('%s', (_name, change, expected) => {
    const next = parse(released)
    change(next)
    expect(breakingChanges(parse(released), next).join('\n')).toMatch(expected)
  })
})

describe('it is not a break that', () => {
  test.each<[string, (document: Any) => void]>([
    ['nothing changes', () => undefined],
    ['an endpoint comes', (d) => (d.paths['/v1/new'] = { get: screenOf(d) })],
    ['an optional member is taken', (d) => (request(d).properties.note = { type: 'string' })],
    ['a member is returned', (d) => (report(d).properties.note = { type: 'string' })],
    [
      'an optional parameter comes',
      (d) => d.paths['/v1/chains'].get.parameters.push({ name: 'x', in: 'query' }),
    ],
    ['a status comes', (d) => (screenOf(d).responses['418'] = { description: 'x' })],
    ['a code comes', (d) => (problemExamples(d, 400).another = {})],
    ['a page may hold more', (d) => (pageSize(d).maximum = 500)],
    ['texts change', (d) => (screenOf(d).description = 'Better words.')],
    ['a member sent may be longer', (d) => (request(d).properties.chain.maxLength = 99)],
  ])('%s', (_name, change) => {
    const next = parse(released)
    change(next)
    expect(breakingChanges(parse(released), next)).toEqual([])
  })
})
