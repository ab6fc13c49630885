/** What the reference page sends and shows when a reader runs an operation. */
import { expect, test } from 'vitest'
import {
  callOf,
  hasLiveKey,
  isSandboxKey,
  shownBody,
  staysInPlace,
  type Operation,
} from '../../src/reference/client/call.js'

const operation: Operation = {
  ...{ method: 'GET', path: '/v1/log/{tile}/of/{id}', needsKey: true, body: null, headers: [] },
  parameters: [
    { name: 'tile', place: 'path', isRequired: true, hint: '' },
    { name: 'id', place: 'path', isRequired: true, hint: '' },
    { name: 'chain', place: 'query', isRequired: false, hint: '' },
    { name: 'level', place: 'query', isRequired: false, hint: '' },
    { name: 'Prefer', place: 'header', isRequired: false, hint: '' },
  ],
}

test.each([
  `cpl_live_${'a'.repeat(57)}`,
  'cupel_session_aaaa',
  '',
  'cpl_test_',
  'cpl_test_a\r\nX: y',
  ' cpl_test_a',
])('%j is not a key of the sandbox', (key) => {
  expect(isSandboxKey(key)).toBe(false)
})

test('a key of the sandbox is one, and no live key', () => {
  const key = `cpl_test_${'a'.repeat(57)}`
  expect(isSandboxKey(key)).toBe(true)
  expect(hasLiveKey({ key })).toBe(false)
})

test('a live key is seen in every field and every case', () => {
  expect(hasLiveKey({ key: `cpl_live_${'a'.repeat(57)}` })).toBe(true)
  expect(hasLiveKey({ 'path token': 'CPL_LIVE_aa' })).toBe(true)
  expect(hasLiveKey({ body: '{"note":"cpl_live_0aB"}' })).toBe(true)
  expect(hasLiveKey({ body: '{"note":"cpl_live_…"}' })).toBe(false)
})

test('what is typed cannot leave its place, and an empty field is not sent', () => {
  const values = {
    ...{ 'path tile': '0/000', 'path id': 'a?b#c d', 'query chain': 'E&level=red', 'query level': '' },
    'header Prefer': 'wait=1',
    key: 'cpl_test_a',
  }
  expect(callOf(operation, values)).toEqual({
    url: '/v1/log/0/000/of/a%3Fb%23c%20d?chain=E%26level%3Dred',
    method: 'GET',
    headers: { Authorization: 'Bearer cpl_test_a', Prefer: 'wait=1' },
  })
})

test.each([['..'], ['.'], ['../../watches/wat_1'], ['a/./b']])(
  '%s in a path leads to no other operation',
  (tile) => {
    const { url } = callOf(operation, { 'path tile': tile, 'path id': 'a' })
    expect(staysInPlace(url)).toBe(false)
  },
)

test.each([['0/000'], ['...'], ['%2e%2e'], ["a'(b)!*~ü"]])('%s in a path is sent', (tile) => {
  expect(
    staysInPlace(callOf(operation, { 'path tile': tile, 'path id': 'a', 'query chain': 'a/../b' }).url),
  ).toBe(true)
})

test('an operation without a key sends none', () => {
  expect(callOf({ ...operation, needsKey: false }, { key: 'cpl_test_a' }).headers).toEqual({})
})

test('a body is sent as it was typed', () => {
  const posted = { ...operation, method: 'POST', body: '{}' }
  const { body, headers } = callOf(posted, { body: '{"a":', key: 'cpl_test_a' })
  expect(body).toBe('{"a":')
  expect(headers['Content-Type']).toBe('application/json')
})

test.each([
  ['application/json', '{"a":1}', '{\n  "a": 1\n}'],
  ['application/problem+json; charset=utf-8', '{"code":"x"}', '{\n  "code": "x"\n}'],
  // A number that JavaScript would change stays as it came.
  ['application/json', '{"a":9007199254740993}', '{"a":9007199254740993}'],
  ['application/x-ndjson', '{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n'],
  ['text/csv', 'a,b', 'a,b'],
  ['', '', ''],
  ['application/pdf', '%PDF', null],
])('a body of %s: %j', (type, text, shown) => {
  expect(shownBody(type, new TextEncoder().encode(text))).toBe(shown)
})

test('a long body says how much of it is not shown', () => {
  const shown = shownBody('text/csv', new TextEncoder().encode('a'.repeat(200_007)))!
  expect(shown).toMatch(/a\n… 7 more characters are not shown\.$/)
})
