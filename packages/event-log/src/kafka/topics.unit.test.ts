import { expect, test } from 'vitest'
import { faultsOf } from './topics.js'

const good = {
  'min.insync.replicas': '2',
  'unclean.leader.election.enable': 'false',
  'retention.ms': '-1',
  'cleanup.policy': 'delete',
}

test('a topic that keeps what it acknowledged has no fault', () => {
  expect(faultsOf('t', 3, new Map(Object.entries(good)))).toEqual([])
})

test.each([
  ['too few replicas', 2, {}, /^t has 2 replicas/],
  ['one copy is enough', 3, { 'min.insync.replicas': '1' }, /^t acknowledges with one copy/],
  ['a leader may lack records', 3, { 'unclean.leader.election.enable': 'true' }, /^t may elect a leader/],
  ['records expire', 3, { 'retention.ms': '604800000' }, /^t does not keep everything/],
  ['records are compacted', 3, { 'cleanup.policy': 'compact' }, /^t does not keep everything/],
])('%s: one sentence', (_what, replicas, change, sentence) => {
  const faults = faultsOf('t', replicas, new Map(Object.entries({ ...good, ...change })))
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(sentence)
})

test('settings that cannot be read count as wrong', () => {
  expect(faultsOf('t', 3, new Map())).toHaveLength(2)
})
