import { expect, test } from 'vitest'
import { refusalOf } from './apply-rights.js'

test('each entry that denies a right is named with its user, operation, resource and host', () => {
  const entry = { principal: 'User:cupel-scorer', host: '*', resource_type: 'topic', name: 'reports.v1' }
  const denied = [
    { ...entry, pattern: 'literal', operation: 'Describe' },
    { ...entry, principal: 'User:*', host: '10.0.0.9', pattern: 'prefixed', operation: 'All' },
  ]
  expect(refusalOf(denied)?.split('\n').slice(1)).toEqual([
    'User:cupel-scorer is denied Describe on the topic reports.v1.',
    'User:* is denied All on the topic reports.v1… from 10.0.0.9.',
  ])
  expect(refusalOf([])).toBeNull()
})
