import { derivedTopicSpecs } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { behindFault, faultsOf, wantedConfig } from './topic-faults.js'

const spec = {
  name: 't',
  partitions: 4,
  producer: 'ordered',
  config: { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'max.message.bytes': '2097152' },
} as const
const found = (
  config: Record<string, string> = {},
  size: { partitions?: number; replicas?: number; behind?: number[] } = {},
) => ({
  ...{ partitions: 4, replicas: 3, behind: [] as number[], ...size },
  config: new Map(Object.entries({ ...wantedConfig(spec, 3), ...config })),
})

test('a topic that keeps what it acknowledged has no fault', () => {
  expect(faultsOf('t', spec, 3, found())).toEqual([])
  expect(
    faultsOf('t', spec, 3, found({ 'max.message.bytes': '9000000', 'min.insync.replicas': '3' })),
  ).toEqual([])
})

test.each([
  ['cleanup.policy', 'compact'],
  ['retention.ms', '604800000'],
  ['retention.bytes', '1073741824'],
  ['max.message.bytes', '1048576'],
  ['min.insync.replicas', '1'],
  ['unclean.leader.election.enable', 'true'],
  ['compression.type', 'zstd'],
])('%s=%s is one fault with one sentence', (setting, value) => {
  const faults = faultsOf('t', spec, 3, found({ [setting]: value }))
  expect(faults).toMatchObject([{ topic: 't', setting, found: value, isMended: true }])
  expect(faults[0]!.sentence).toContain(`The topic t has ${setting}=${value} and must have `)
})

test.each([
  ['cleanup.policy', 'delete', 'a reader of the state would have to read every record'],
  ['max.compaction.lag.ms', '9223372036854775807', 'records that were replaced could stay readable'],
  ['delete.retention.ms', '0', 'a reader that rests could miss'],
  ['min.insync.replicas', '1', 'an acknowledged record could be lost'],
])('of a topic of state %s=%s is one fault, with what it would break there', (setting, value, breaks) => {
  const state = derivedTopicSpecs[0]!
  const config = new Map(Object.entries({ ...wantedConfig(state, 3), [setting]: value }))
  const faults = faultsOf('t', state, 3, { partitions: state.partitions, replicas: 3, behind: [], config })
  expect(faults).toMatchObject([{ setting, found: value, isMended: true }])
  expect(faults[0]!.sentence).toContain(breaks)
})

test('what moves records is not put right by itself', () => {
  expect(faultsOf('t', spec, 3, found({}, { partitions: 8 }))).toMatchObject([
    { setting: 'partitions', found: '8', wanted: '4', isMended: false },
  ])
  expect(faultsOf('t', spec, 3, found({}, { replicas: 2 }))).toMatchObject([
    { setting: 'replication.factor', found: '2', wanted: '3', isMended: false },
  ])
})

test('a topic that may grow is at fault only with fewer partitions, and gets those that it lacks', () => {
  const growing = { ...spec, mayGrow: true }
  for (const partitions of [4, 5, 32])
    expect(faultsOf('t', growing, 3, found({}, { partitions }))).toEqual([])
  expect(faultsOf('t', growing, 3, found({}, { partitions: 3 }))).toMatchObject([
    { setting: 'partitions', found: '3', wanted: '4', isMended: true },
  ])
})

test('settings that cannot be read count as wrong', () => {
  const faults = faultsOf('t', spec, 3, { ...found(), config: new Map() })
  expect(faults.map(({ setting }) => setting).sort()).toEqual(Object.keys(wantedConfig(spec, 3)).sort())
})

test('a topic that does not exist is one fault', () => {
  expect(faultsOf('t', spec, 3, null)).toMatchObject([{ setting: 'topic', found: null }])
})

test('partitions whose replicas are not all in step are one fault that passes by itself', () => {
  expect(behindFault('t', found())).toEqual([])
  const [fault] = behindFault('t', found({}, { behind: [1, 3] }))
  expect(fault).toMatchObject({ setting: 'in-sync replicas', isMended: false, isPassing: true })
  expect(fault!.sentence).toContain('in step for 2 of 4 partitions only, not for 1, 3: a broker is down')
})
