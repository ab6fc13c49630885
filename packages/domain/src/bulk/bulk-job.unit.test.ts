import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countsOf, evolveJob, isDone, nothingKnownOfJob, type BulkEvent, type BulkJob } from './bulk-job.js'
import { decideCancellation, decideCompletion, failedJob, judgeItems } from './decide-bulk.js'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const asked = (...addresses: string[]) => addresses.map((address) => ({ address }))
const at = (second: number): string => new Date(Date.UTC(2026, 10, 21, 9, 0, second)).toISOString()
const fold = (events: readonly BulkEvent[], job: BulkJob = nothingKnownOfJob): BulkJob =>
  evolveJob(job, events)
const submitted = (firsts: readonly number[], refused: readonly number[] = []): BulkEvent => ({
  kind: 'submitted',
  at: at(0),
  firsts,
  refused,
})
const ended = (index: number, second = 1, outcome: 'completed' | 'failed' = 'completed'): BulkEvent => ({
  kind: 'item-ended',
  index,
  outcome,
  at: at(second),
})

/** A job of up to 12 items, some equal, some refused, and every record of it. */
const histories = fc
  .record({
    firsts: fc
      .array(fc.nat(11), { minLength: 1, maxLength: 12 })
      .map((picks) => picks.map((pick, index) => picks.indexOf(pick) ?? index)),
    seconds: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 12, maxLength: 12 }),
    outcomes: fc.array(fc.constantFrom<'completed' | 'failed'>('completed', 'failed'), {
      minLength: 12,
      maxLength: 12,
    }),
    refusedFirsts: fc.array(fc.nat(11)),
    cancelAfter: fc.option(fc.nat(12)),
  })
  .map(({ firsts, seconds, outcomes, refusedFirsts, cancelAfter }) => {
    const refused = firsts.flatMap((first, index) => (refusedFirsts.includes(first) ? [index] : []))
    const screened = [...new Set(firsts)].filter((first) => !refused.includes(first))
    const items = screened.map((index) => ended(index, seconds[index], outcomes[index]))
    const done = cancelAfter === null ? items : items.slice(0, cancelAfter)
    const events: BulkEvent[] = [submitted(firsts, refused), ...done]
    const cancelled = cancelAfter === null ? null : decideCancellation(fold(events), at(20))
    if (cancelled !== null)
      events.push(
        { kind: 'cancel-requested', at: at(20) },
        { kind: 'ended', end: cancelled.end, cancelledIndices: cancelled.cancelledIndices },
        // Screenings that were under way are still recorded.
        ...items.slice(done.length),
      )
    else {
      const end = decideCompletion(fold(events))!
      events.push({ kind: 'ended', end, cancelledIndices: [] })
    }
    return { events, total: firsts.length }
  })

describe('a job folded from its events', () => {
  test('is the same in any order and with any repeats', () => {
    fc.assert(
      fc.property(
        histories.chain(({ events }) =>
          fc.record({
            events: fc.constant(events),
            mixed: fc
              .array(fc.constantFrom(...events))
              .chain((repeats) =>
                fc.shuffledSubarray([...events, ...repeats], { minLength: events.length + repeats.length }),
              ),
          }),
        ),
        ({ events, mixed }) => {
          expect(fold(mixed)).toEqual(fold(events))
        },
      ),
    )
  })

  test('is the same whether its events come one by one or all at once', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        expect(events.reduce((job, event) => fold([event], job), nothingKnownOfJob)).toEqual(fold(events))
      }),
    )
  })

  test('counts every item once, and what its end says is what its items say', () => {
    fc.assert(
      fc.property(histories, ({ events, total }) => {
        const job = fold(events)
        const { completed, failed, cancelled } = countsOf(job)
        expect(isDone(job)).toBe(true)
        expect(completed + failed + cancelled).toBe(total)
        expect(job.end).toMatchObject({ total, completed, failed, cancelled })
      }),
    )
  })

  test('stands by the first record of a report', () => {
    const job = fold([submitted([0]), ended(0, 1, 'failed'), ended(0, 2, 'completed')])
    expect(countsOf(job)).toMatchObject({ failed: 1, completed: 0 })
    expect(decideCompletion(job)).toMatchObject({ endedAt: at(1) })
  })

  test('counts each of the items that share a report', () => {
    const job = fold([submitted([0, 1, 0, 0]), ended(0)])
    expect(countsOf(job)).toEqual({ total: 4, completed: 3, failed: 0, cancelled: 0 })
    expect(isDone(job)).toBe(false)
  })
})

describe('the end of a job', () => {
  test('is not decided before its last item, nor twice', () => {
    const open = fold([submitted([0, 1]), ended(1)])
    expect(decideCompletion(open)).toBeNull()
    const end = decideCompletion(fold([ended(0, 7)], open))!
    expect(end).toEqual({
      status: 'completed',
      total: 2,
      completed: 2,
      failed: 0,
      cancelled: 0,
      endedAt: at(7),
    })
    const over = fold([ended(0, 7), { kind: 'ended', end, cancelledIndices: [] }], open)
    expect([decideCompletion(over), decideCancellation(over, at(9))]).toEqual([null, null])
  })

  test('of a job with nothing but bad addresses is its submission', () => {
    const job = fold([submitted([0, 1], [0, 1])])
    expect(decideCompletion(job)).toEqual({
      ...{ status: 'completed_with_errors', total: 2, completed: 0, failed: 2, cancelled: 0, endedAt: at(0) },
    })
  })

  test('by cancelling leaves what was done, and cancels equal items together', () => {
    const job = fold([submitted([0, 1, 2, 1, 4], [4]), ended(0, 5)])
    expect(decideCancellation(job, at(3))).toEqual({
      end: { status: 'cancelled', total: 5, completed: 1, failed: 1, cancelled: 3, endedAt: at(5) },
      cancelledIndices: [1, 2, 3],
    })
  })

  test('cannot be brought about by cancelling a job that is done or unknown', () => {
    expect(decideCancellation(fold([submitted([0]), ended(0)]), at(3))).toBeNull()
    expect(decideCancellation(nothingKnownOfJob, at(3))).toBeNull()
  })

  test('of a job that cannot run fails every item', () => {
    expect(failedJob(3, at(0))).toMatchObject({ status: 'failed', total: 3, failed: 3, completed: 0 })
  })
})

describe('addresses of a job', () => {
  test('that are equal texts are one screening; other forms of one address are others', () => {
    const items = judgeItems(asked(ETH, ETH.toLowerCase(), ETH, 'nonsense', 'nonsense'), undefined)
    expect(items.map(({ first, ok }) => [first, ok])).toEqual([
      ...[
        [0, true],
        [1, true],
        [0, true],
      ],
      ...[
        [3, false],
        [3, false],
      ],
    ])
  })

  test('that differ in chain or reference have a report each, and an item without a chain takes that of the job', () => {
    const items = judgeItems(
      [
        { address: ETH, reference: 'a' },
        { address: ETH, reference: 'b' },
        { address: ETH, chain: 'BSC', reference: 'a' },
        { address: ETH, chain: 'ETH', reference: 'a' },
      ],
      'ETH',
    )
    expect(items.map(({ first }) => first)).toEqual([0, 1, 2, 0])
    expect(items.map((item) => item.ok && item.screened.chain)).toEqual(['ETH', 'ETH', 'BSC', 'ETH'])
  })

  test('are judged one by one: a bad one is the error of its item', () => {
    const [good, other, bad] = judgeItems(asked(ETH, '12cbQLTFMXRnSzktFkuoG3eHoMeFtpTu3S', 'no'), 'eth')
    expect(good).toMatchObject({ ok: true, screened: { address: ETH, chain: 'ETH', candidateChains: [] } })
    expect(other).toMatchObject({ ok: false, code: 'chain_mismatch' })
    expect(bad).toMatchObject({ ok: false, code: 'invalid_address' })
  })
})
