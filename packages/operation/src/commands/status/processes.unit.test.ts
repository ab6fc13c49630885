import type { ProcessSeen } from '@cupel/projections/heartbeats'
import { missingServices } from '../../health/index.js'
import { expect, test } from 'vitest'
import { told } from './processes.js'

const seen = (service: string, fields: Partial<ProcessSeen> = {}): ProcessSeen => ({
  ...{
    service,
    instance: 2,
    host: 'north',
    pid: 17,
    release: '1.2.3',
    startedAt: '2026-11-23T00:00:00.000Z',
  },
  ...{ seenAgeMs: 400, isSeen: true, skewMs: 3, failing: [] },
  ...fields,
})
const others = ['api', 'projector', 'bulk-coordinator', 'webhook-dispatcher'].map((name) => seen(name))

test.each<[string, ProcessSeen[], string[]]>([
  ['nothing runs', [], []],
  ['everything runs', [...others, seen('scorer')], []],
  ['each lane has a scorer', [...others, seen('interactive-scorer'), seen('bulk-scorer')], []],
  ['a lane has none', [...others, seen('interactive-scorer')], ['bulk-scorer']],
  ['no lane has one', others, ['scorer']],
  ['the scorer is not seen any more', [...others, seen('scorer', { isSeen: false })], ['scorer']],
  ['a service is not there', [...others.slice(1), seen('scorer')], ['api']],
  ['nothing is seen any more', [seen('api', { isSeen: false })], []],
])('services are missing: %s', (_, processes, missing) => {
  expect(missingServices(processes)).toEqual(missing)
})

test('a process is ready while it is seen and no check fails', () => {
  expect(told(seen('api'))).toMatchObject({ name: 'api-2', ready: true, detail: '' })
  expect(told(seen('api', { failing: ['log', 'tail'] }))).toMatchObject({ ready: false, detail: 'log, tail' })
  expect(told(seen('api', { isSeen: false, seenAgeMs: 61_000 }))).toMatchObject({
    ...{ ready: false, detail: 'not seen for 61 s' },
  })
})
