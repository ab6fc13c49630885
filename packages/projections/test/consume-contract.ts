/** The guarantees of every consumer, on a log of either kind: it handles each record, and its checkpoint shows it. */
import { noMetrics, type Metrics } from '@cupel/contracts'
import { LogUnavailableError, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PausedError, Unhandleable } from '../src/index.js'
import { openConsuming, type Commit, type Consuming, type LogKind } from './consuming.js'

const COMMITS: readonly Commit[] = ['in a transaction', 'in the background']
/** Same value as in the failure window. */
const TOLERATED_FAILURES = 10

export function consumeContract(kind: LogKind): void {
  let consuming: Consuming
  beforeEach(async () => {
    consuming = await openConsuming(kind)
  })
  afterEach(() => consuming.close())

  const dealtWith = (next: number, partition = 0) =>
    until(async () => expect(await consuming.checkpoint(partition)).toBe(next))

  describe.each(COMMITS)('a consumer that commits %s', (commit) => {
    const outcomes = (): Promise<string[]> => consuming.outcomes(commit)

    test('deals with every record in order, and the next member goes on at the checkpoint', async () => {
      await consuming.append(['a', 'b'])
      const first = consuming.consumer(commit)
      await dealtWith(2)
      await consuming.append(['c'])
      await dealtWith(3)
      await first.stop()
      await consuming.append(['d'])
      consuming.consumer(commit)
      await dealtWith(4)
      expect(await outcomes()).toEqual(['a', 'b', 'c', 'd'])
      expect(consuming.lines).toEqual([])
    })

    test('commits what is before a record of an unknown schema, and goes on once the schema is known', async () => {
      await consuming.append(['a', 'newer', 'b'])
      const consumer = consuming.consumer(commit)
      await dealtWith(1)
      await until(() => expect(consumer.problem()).toContain('schema 9 is not known'))
      expect(await outcomes()).toEqual(['a'])
      consuming.knowsNewer = true
      await dealtWith(3)
      expect(await outcomes()).toEqual(['a', 'newer', 'b'])
      expect(await consuming.deadLetters()).toEqual([])
      await until(() => expect(consumer.problem()).toBeNull())
    })

    test('dead-letters a record whose schema does not become known in time', async () => {
      await consuming.append(['a', 'newer', 'b'])
      consuming.consumer(commit, { schemaPatienceMs: 200 })
      await dealtWith(3)
      expect(await outcomes()).toEqual(['a', 'b'])
      expect(await consuming.deadLetters()).toMatchObject([
        { key: 'newer', origin: { topic: consuming.topic, partition: 0, offset: 1 } },
      ])
    })

    test('dead-letters poison with its cause, and deals with everything around it', async () => {
      const metrics = countingMetrics()
      consuming.consumer(commit, { deadLetters: { at: 'test', metrics } })
      await until(() => expect(metrics.counts).toEqual({ dead_letters_total: 0 }))
      await consuming.append(['poison-1', 'a', 'poison-2', 'b', 'poison-3'])
      await dealtWith(5)
      expect(metrics.counts).toEqual({ dead_letters_total: 3 })
      expect(await outcomes()).toEqual(['a', 'b'])
      const letters = await consuming.deadLetters()
      expect(letters.map(({ cause }) => cause).toSorted()).toEqual(
        [1, 2, 3].map((n) => `TypeError: poison-${n} cannot be read`),
      )
      expect(letters.map(({ origin }) => origin.offset).toSorted()).toEqual([0, 2, 4])
    })

    test('an outcome that a dead-lettered record leaves is committed instead of it', async () => {
      await consuming.append(['a', 'b', 'poison'])
      consuming.consumer(commit, {
        read: (record) => (record.key === 'b' ? new Unhandleable('refused', 'b failed') : record.key),
        decide: async (texts) => texts.map((text) => (text === 'poison' ? new Unhandleable('bad') : text)),
      })
      await dealtWith(3)
      expect(await outcomes()).toEqual(['a', 'b failed'])
      expect((await consuming.deadLetters()).map(({ cause }) => cause).toSorted()).toEqual(['bad', 'refused'])
    })

    test.each<[string, { readonly isSuccess?: () => Promise<boolean> }]>([
      ['', {}],
      [
        ', also if they succeed later',
        { isSuccess: async () => await new Promise((resolve) => setImmediate(resolve, true)) },
      ],
    ])(
      'pauses where most records fail, and good ones of another partition open the window again%s',
      async (_, window) => {
        await consuming.append(Array.from({ length: TOLERATED_FAILURES + 5 }, (_, n) => `poison-${n}`))
        const consumer = consuming.consumer(commit, { deadLetters: { at: 'test', window } })
        await until(() => expect(consumer.problem()).toContain('Most of the recent records'))
        await dealtWith(TOLERATED_FAILURES)
        expect(await consuming.deadLetters()).toHaveLength(TOLERATED_FAILURES)
        await consuming.append(
          Array.from({ length: 40 }, (_, n) => `good-${n}`),
          1,
        )
        await dealtWith(TOLERATED_FAILURES + 5)
        expect(await consuming.deadLetters()).toHaveLength(TOLERATED_FAILURES + 5)
      },
    )

    test('dead-letters nothing while what it depends on is unreachable', async () => {
      let isReachable = false
      await consuming.append(['a', 'poison'])
      const consumer = consuming.consumer(commit, {
        deadLetters: { at: 'test', window: { isReachable: () => isReachable } },
      })
      await dealtWith(1)
      await until(() => expect(consumer.problem()).toContain('not blamed'))
      expect(await consuming.deadLetters()).toEqual([])
      isReachable = true
      await dealtWith(2)
      expect(await consuming.deadLetters()).toHaveLength(1)
    })

    test('reads a batch again where deciding fails, blames no record, and logs an outage once', async () => {
      await consuming.append(['a', 'poison', 'b'])
      let failures = 0
      const consumer = consuming.consumer(commit, {
        decide: async (texts) => {
          if ((failures += 1) <= 3) throw new Error(`The database has not answered for ${failures} s`)
          return texts
        },
      })
      await until(() => expect(consumer.problem()).toContain('has not answered'))
      await dealtWith(3)
      expect(await outcomes()).toEqual(['a', 'b'])
      expect(consuming.lines).toEqual([
        'Records wait and are read again: The database has not answered for 1 s',
        'A record cannot be handled and is dead-lettered',
      ])
      await until(() => expect(consumer.problem()).toBeNull())
    })

    test('handles nothing while it is refused to', async () => {
      let refusal: string | null = 'The labels are too old.'
      await consuming.append(['a'])
      const consumer = consuming.consumer(commit, { refusal: () => refusal })
      await until(() => expect(consumer.problem()).toBe('The labels are too old.'))
      expect(await outcomes()).toEqual([])
      refusal = null
      await dealtWith(1)
    })

    test('a dead letter that is not acknowledged holds the checkpoint, and is written again', async () => {
      await consuming.append(['a', 'poison', 'b'])
      let failures = 2
      const log = withAppend(consuming.log, async (at, records) => {
        const positions = await consuming.log.append(at, records)
        if (records[0]!.topic === `${consuming.group}.dlq` && failures-- > 0)
          throw new LogUnavailableError('no acknowledgement')
        return positions
      })
      consuming.consumer(commit, { log })
      await dealtWith(3)
      expect(new Set(await outcomes())).toEqual(new Set(['a', 'b']))
      const letters = await consuming.deadLetters()
      expect(new Set(letters.map(({ key, cause }) => `${key} ${cause}`)).size).toBe(1)
      expect(letters).toHaveLength(3)
    })

    test('resumes where another member has moved the checkpoint', async () => {
      await consuming.append(['a'])
      consuming.consumer(commit)
      await dealtWith(1)
      await consuming.moveCheckpoint(3)
      await consuming.append(['b', 'c', 'd'])
      await dealtWith(4)
      const found = await outcomes()
      // Rows and checkpoint move together, so no record before the new position is written. An append may already be on its way.
      if (commit === 'in a transaction') expect(found).toEqual(['a', 'd'])
      expect(found.at(-1)).toBe('d')
    })

    test.each([
      ['of another log', async () => await consuming.moveCheckpoint(1, 'another log'), /another log/],
      ['beyond the end', async () => await consuming.moveCheckpoint(9), /9/],
      [
        'before the oldest record',
        async () => {
          await consuming.moveCheckpoint(1)
          await consuming.deleteBefore(2)
        },
        /1/,
      ],
    ])('stops at a checkpoint %s, with one sentence, and moves nothing', async (_, prepare, reason) => {
      await consuming.append(['a', 'b', 'c'])
      await prepare()
      const before = await consuming.checkpoint()
      const stops: Error[] = []
      const consumer = consuming.consumer(commit, { onStopped: (error) => stops.push(error) })
      await until(() => expect(consumer.stoppedBy()).not.toBeNull())
      expect(consumer.problem()).toMatch(/^[A-Z][^]*\.$/)
      expect(consumer.problem()).toMatch(reason)
      expect(stops).toHaveLength(1)
      expect(consuming.lines).toEqual([`Reading stopped: ${consumer.problem()}`])
      await consumer.stop()
      expect(await outcomes()).toEqual([])
      expect(await consuming.checkpoint()).toBe(before)
    })

    test('that has never read a topic does not begin where the front of the topic was deleted', async () => {
      await consuming.append(['a', 'b', 'c'])
      await consuming.deleteBefore(2)
      const consumer = consuming.consumer(commit)
      await until(() => expect(consumer.stoppedBy()).toMatchObject({ reason: 'truncated-log' }))
      await consumer.stop()
      expect(await outcomes()).toEqual([])
      expect(await consuming.checkpoint()).toBe(0)
    })

    test('without dead letters stops in front of a record that it cannot handle', async () => {
      await consuming.append(['a', 'poison', 'b'])
      const consumer = consuming.consumer(commit, withoutDeadLetters)
      await until(() => expect(consumer.stoppedBy()).not.toBeNull())
      await dealtWith(1)
      expect(consumer.problem()).toBe(`${consuming.topic}[0] offset 1: poison cannot be read`)
      expect(consumer.stoppedBy()).toMatchObject({ position: { partition: 0, offset: 1 } })
      expect(await outcomes()).toEqual(['a'])
    })

    test('a stop finishes the batch in hand, and the next member repeats nothing', async () => {
      await consuming.append(['a', 'b'])
      let isDeciding = false
      let decideNow: () => void = () => undefined
      const consumer = consuming.consumer(commit, {
        decide: async (texts) => {
          isDeciding = true
          await new Promise<void>((resolve) => (decideNow = resolve))
          return texts
        },
      })
      await until(() => expect(isDeciding).toBe(true))
      const stopping = consumer.stop()
      decideNow()
      await stopping
      expect(await consuming.checkpoint()).toBe(2)
      consuming.consumer(commit)
      await consuming.append(['c'])
      await dealtWith(3)
      expect(await outcomes()).toEqual(['a', 'b', 'c'])
    })

    test('joins its group as soon as it is ready, and tries until then', async () => {
      await consuming.append(['a'])
      let attempts = 0
      const consumer = consuming.consumer(commit, {
        ready: async () => {
          if ((attempts += 1) === 1) throw new PausedError('The tables do not exist yet')
        },
      })
      await until(() => expect(consumer.problem()).toBe('The tables do not exist yet'))
      await consumer.joined
      await dealtWith(1)
      expect(consumer.problem()).toBeNull()
    })
  })

  describe('a consumer that dies between its append and its checkpoint', () => {
    test('is followed by one that appends again', async () => {
      await consuming.append(['a', 'b'])
      // Without its database the first member cannot store its checkpoint, as if it were dead.
      let isDead = false
      const database = failingWhen(() => isDead, consuming.database)
      const log = withAppend(consuming.log, (at, records) => {
        isDead = true
        return consuming.log.append(at, records)
      })
      const first = consuming.consumer('in the background', { log, database })
      await until(async () => expect(await consuming.outcomes('in the background')).toHaveLength(2))
      await first.stop()
      expect(await consuming.checkpoint()).toBe(0)
      consuming.consumer('in the background')
      await dealtWith(2)
      expect(await consuming.outcomes('in the background')).toEqual(['a', 'b', 'a', 'b'])
    })

    test('appends again itself where it lives and the acknowledgement was lost', async () => {
      await consuming.append(['a', 'b'])
      let failures = 2
      const log = withAppend(consuming.log, async (at, records) => {
        const positions = await consuming.log.append(at, records)
        if (failures-- > 0) throw new LogUnavailableError('no acknowledgement')
        return positions
      })
      consuming.consumer('in the background', { log })
      await dealtWith(2)
      expect(await consuming.outcomes('in the background')).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
    })
  })

  describe('rows', () => {
    test('and checkpoint are rolled back together where the commit fails', async () => {
      await consuming.append(['a', 'b'])
      const consumer = consuming.consumer('in a transaction')
      await dealtWith(2)
      await consuming.database.execute('ALTER TABLE outcome RENAME TO hidden')
      await consuming.append(['c'])
      await until(() => expect(consumer.problem()).toContain('outcome'))
      expect(await consuming.checkpoint()).toBe(2)
      await consuming.database.execute('ALTER TABLE hidden RENAME TO outcome')
      await dealtWith(3)
      expect(await consuming.outcomes('in a transaction')).toEqual(['a', 'b', 'c'])
    })

    test('that the database refuses stop a consumer without dead letters, in front of their record', async () => {
      await consuming.append(['a', 'refused', 'b'])
      const consumer = consuming.consumer('in a transaction', withoutDeadLetters)
      await until(() => expect(consumer.stoppedBy()).toMatchObject({ position: { offset: 1 } }))
      expect(await consuming.outcomes('in a transaction')).toEqual(['a'])
      expect(await consuming.checkpoint()).toBe(1)
    })

    test('that the database refuses hold up a consumer with dead letters, and the problem names their record', async () => {
      await consuming.append(['a', 'refused', 'b'])
      const consumer = consuming.consumer('in a transaction')
      await until(() => expect(consumer.problem()).toContain(`${consuming.topic}[0] offset 1:`))
      await dealtWith(1)
      expect(await consuming.deadLetters()).toEqual([])
    })
  })
}

/** Removes the dead letters that the harness gives every consumer. */
const withoutDeadLetters = { deadLetters: undefined as never }

/** A log may be an instance of a class, so a copy of its properties would lack its methods. */
function withAppend(log: EventLog, append: EventLog['append']): EventLog {
  return new Proxy(log, {
    get(target, name) {
      if (name === 'append') return append
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function failingWhen(isDead: () => boolean, database: Database): Database {
  return {
    ...database,
    query: (...given) => (isDead() ? Promise.reject(new Error('no database')) : database.query(...given)),
    transaction: (...given) =>
      isDead() ? Promise.reject(new Error('no database')) : database.transaction(...given),
  } as Database
}

function countingMetrics(): Metrics & { readonly counts: Readonly<Record<string, number>> } {
  const counts: Record<string, number> = {}
  const counter: Metrics['counter'] = (name) => ({
    inc: (_labels, by = 1) => (counts[name] = (counts[name] ?? 0) + by),
  })
  return { ...noMetrics, counter, counts }
}
