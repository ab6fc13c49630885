import { defaultPolicy } from '@cupel/domain'
import { expect, test } from 'vitest'
import { checkPolicyText } from './index.js'

const text = JSON.stringify(defaultPolicy)

test('the default policy has nothing to refuse', () => {
  const { policy, findings } = checkPolicyText(text)
  expect(policy?.document).toEqual(defaultPolicy)
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
})

/** Texts that JSON.parse accepts, but that two readers could understand differently. */
test.each([
  ['a section twice', text.replace('{', '{"levels":{"orange":1,"red":2},'), 'levels', /more than once/],
  ['a number twice', text.replace('"red":', '"red":99,"red":'), 'levels.red', /more than once/],
  [
    'a number twice, once in disguise',
    text.replace('"red":', '"r\\u0065d":99,"red":'),
    'levels.red',
    /more than once/,
  ],
  ['__proto__', text.replace('{', '{"__proto__":{"version":1},'), '__proto__', /not allowed/],
  ['a lone surrogate', text.replace(/"id":"[^"]*"/, '"id":"a\\ud800"'), 'id', /surrogate/],
  [
    'a number that no double holds',
    text.replace(/"version":\d+/, '"version":9007199254740993'),
    'version',
    /exactly/,
  ],
])('%s is refused with its place', (_case, doubtful, path, message) => {
  expect(() => JSON.parse(doubtful) as unknown).not.toThrow()
  const { policy, findings } = checkPolicyText(doubtful)
  expect(policy).toBeNull()
  expect(findings).toMatchObject([{ severity: 'error', rule: 'form', path }])
  expect(findings[0]?.message).toMatch(message)
})

test('a document that is deeper than any policy is refused as such', () => {
  expect(checkPolicyText(`${'['.repeat(100)}${']'.repeat(100)}`).findings).toMatchObject([
    { rule: 'form', path: '', message: 'The policy is nested deeper than 16 levels.' },
  ])
})

test('text that is not JSON is reported as such before anything else', () => {
  expect(checkPolicyText('{"levels":1,"levels":2').findings).toMatchObject([
    { rule: 'form', path: '', message: expect.stringMatching(/^The text is not JSON: /) as string },
  ])
})
