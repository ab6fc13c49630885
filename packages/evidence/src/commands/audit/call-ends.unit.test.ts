import type { RecordedCall, ScreenOutcome } from '@cupel/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallEnds } from './call-ends.js'

const AT = '2026-11-21T09:00:00.000Z'
const call = (requestId: string, subjectId: string, endedAt: string | null = null): RecordedCall => ({
  call: {
    ...{ requestId, keyId: 'k', scope: 'read-write', clientAddress: '203.0.113.9' },
    ...{ method: 'POST', route: '/v1/screen', status: 200, at: AT, actor: '' },
  },
  ...{ accountId: 'acc', livemode: true, subjectIds: [subjectId], endedAt },
})
const outcome = (isFailed: boolean): ScreenOutcome => ({ isFailed, endedAt: '2026-11-21T09:00:00.007Z' })

type Step =
  ReturnType<typeof createCallEnds> extends infer E ? (ends: E) => readonly { data: object }[] : never

test('calls and outcomes in any order, some repeated: each call whose outcome is known is told once, as it ended', () => {
  const steps: readonly Step[] = [
    (ends) => ends.call(call('one', 'r1')),
    (ends) => ends.call(call('goes on with one', 'r1')),
    (ends) => ends.call(call('two', 'r2')),
    (ends) => ends.call(call('waits', 'r3')),
    (ends) => ends.call(call('job', 'j', AT)),
    (ends) => ends.outcome('r1', outcome(false)),
    (ends) => ends.outcome('r2', outcome(true)),
    (ends) => ends.outcome('of the bulk lane', outcome(false)),
  ]
  const indices = steps.map((_, index) => index)
  const order = fc.tuple(
    fc.shuffledSubarray(indices, { minLength: steps.length }),
    fc.array(fc.constantFrom(...indices)),
  )
  fc.assert(
    fc.property(order, ([all, repeats]) => {
      const ends = createCallEnds()
      const told = new Map<string, string>()
      for (const index of [...all, ...repeats])
        for (const { data } of steps[index]!(ends)) {
          const { requestId, status, code, latencyMs } = data as Record<string, unknown>
          told.set(String(requestId), `${String(status)} ${String(code)} ${String(latencyMs)}`)
        }
      expect(Object.fromEntries([...told].sort())).toEqual({
        'goes on with one': '200  7',
        job: '200  0',
        one: '200  7',
        two: '500 screening_failed 7',
      })
    }),
  )
})

test('of the outcomes of one report id the first counts, and a clock that is behind gives no negative latency', () => {
  const ends = createCallEnds()
  expect(ends.outcome('r', { isFailed: false, endedAt: '2026-11-21T08:59:59.000Z' })).toEqual([])
  expect(ends.outcome('r', outcome(true))).toEqual([])
  expect(ends.call(call('one', 'r'))).toMatchObject([
    { data: { status: 200, latencyMs: 0, subjectIds: ['r'] }, envelope: { id: 'one', time: AT } },
  ])
})
