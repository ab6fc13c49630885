import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBacklog } from './backlog.js'
import type { OpenJob } from './job-table.js'

const job = (jobId: string, accountId: string, units: number, released = 0, endedUnits = 0): OpenJob => ({
  ...{
    jobId,
    accountId,
    units,
    released,
    endedUnits,
    livemode: true,
    submittedAt: '',
    reportPageUrl: '',
  },
  ...{ correlationId: '', causationId: '', traceparent: null },
})

test('jobs queue per account, in the order in which they came, with what each has left', () => {
  const backlog = createBacklog()
  backlog.add([job('a1', 'a', 10, 4), job('b1', 'b', 5), job('a2', 'a', 7), job('a3', 'a', 3, 3)])
  expect(backlog.queues()).toEqual([
    {
      account: 'a',
      jobs: [
        { jobId: 'a1', left: 6 },
        { jobId: 'a2', left: 7 },
      ],
    },
    { account: 'b', jobs: [{ jobId: 'b1', left: 5 }] },
  ])
  expect([backlog.underWay(), backlog.waiting()]).toEqual([7, 18])
})

test('a job that ended takes its work under way with it: its place is free at once', () => {
  const backlog = createBacklog()
  backlog.add([job('a1', 'a', 100, 80, 30)])
  expect(backlog.underWay()).toBe(50)
  backlog.changed('a1', { endedUnits: 30, hasEnded: true })
  expect([backlog.underWay(), backlog.waiting(), backlog.size(), backlog.queues()]).toEqual([0, 0, 0, []])
  backlog.changed('a1', { endedUnits: 31, hasEnded: false })
  expect(backlog.size()).toBe(0)
})

test('the end of a job counts once, however often it is told', () => {
  const backlog = createBacklog()
  backlog.add([job('a1', 'a', 2, 2)])
  const told = [false, true, true].map((hasEnded) => backlog.changed('a1', { endedUnits: 2, hasEnded }))
  expect(told).toEqual([false, true, false])
})

test('whatever happens, what is under way and what waits are the sums over the open jobs', () => {
  const step = fc.record({
    job: fc.nat(4),
    kind: fc.constantFrom('add', 'release', 'end-unit', 'end'),
    amount: fc.nat(20),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const backlog = createBacklog()
      const model = new Map<string, OpenJob>()
      for (const { job: n, kind, amount } of steps) {
        const id = `j${n}`
        const known = model.get(id)
        if (kind === 'add' && known === undefined) {
          model.set(id, job(id, `a${n % 2}`, amount))
          backlog.add([job(id, `a${n % 2}`, amount)])
        } else if (known === undefined) continue
        else if (kind === 'add') backlog.add([job(id, 'other', 1)])
        else if (kind === 'release') {
          const released = Math.min(known.units, known.released + amount)
          model.set(id, { ...known, released })
          backlog.released(id, released)
        } else if (kind === 'end-unit') {
          const endedUnits = Math.min(known.released, known.endedUnits + amount)
          model.set(id, { ...known, endedUnits })
          backlog.changed(id, { endedUnits, hasEnded: false })
        } else {
          model.delete(id)
          backlog.changed(id, { endedUnits: known.endedUnits, hasEnded: true })
        }
        const open = [...model.values()]
        const sum = (of: (one: OpenJob) => number): number => open.reduce((total, one) => total + of(one), 0)
        expect(backlog.underWay()).toBe(sum((one) => one.released - one.endedUnits))
        expect(backlog.waiting()).toBe(sum((one) => one.units - one.released))
        const queued = backlog.queues().flatMap(({ jobs }) => jobs.map(({ jobId }) => jobId))
        expect(new Set(queued)).toEqual(
          new Set(open.filter((one) => one.released < one.units).map(({ jobId }) => jobId)),
        )
      }
    }),
  )
})
