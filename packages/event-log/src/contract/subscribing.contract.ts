import { describe, expect, test } from 'vitest'
import type { LogBatch, LogStoppedError } from '../port.js'
import {
  CASE_TIMEOUT_MS,
  checkpointStore,
  contractContext,
  newGroup,
  numbered,
  record,
  subscribeOptions,
  textOf,
  until,
  type CheckpointStore,
  type LogOfProcess,
} from './log-under-test.contract.js'

export function subscribingContract(start: () => Promise<LogOfProcess>): void {
  describe('subscribing', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)
    const newStore = async () => checkpointStore(await context.log().identity())
    const append = async (topic: string, texts: readonly string[], partition = 0) =>
      await context.log().append(
        'test',
        texts.map((text) => record(topic, text, { partition })),
      )
    /** A subscription that advances its checkpoint after every batch. */
    const collect = async (topic: string, store: CheckpointStore, group = newGroup()) => {
      const batches: LogBatch[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group,
          topics: [topic],
          checkpoint: store.load,
          handle: async (batch) => {
            batches.push(batch)
            store.advance(batch)
            return undefined
          },
        }),
      )
      return { batches, subscription, texts: () => batches.flatMap((batch) => batch.records.map(textOf)) }
    }

    test('everything is handled from the start, per partition in order and without a gap', async () => {
      const [topic, store] = [await context.newTopic(3), await newStore()]
      await Promise.all(
        [0, 1, 2].map((partition) => append(topic, numbered(200, `p${partition}`), partition)),
      )
      const { batches, subscription, texts } = await collect(topic, store)
      await append(topic, ['last'], 1)
      await until(() => expect(texts()).toHaveLength(601))
      for (const partition of [0, 1, 2]) {
        const own = batches.filter((batch) => batch.partition === partition)
        let next = 0
        for (const batch of own) {
          expect(batch.firstOffset).toBe(next)
          expect(batch.endOffset).toBeGreaterThanOrEqual(batch.nextOffset)
          next = batch.nextOffset
        }
        expect(own.flatMap((batch) => batch.records.map(textOf))).toEqual([
          ...numbered(200, `p${partition}`),
          ...(partition === 1 ? ['last'] : []),
        ])
      }
      expect(subscription.assigned()).toHaveLength(3)
      await until(() => expect(subscription.lag()).toBe(0))
      await subscription.stop()
    })

    test('a second subscription goes on from the checkpoint', async () => {
      const [topic, store, group] = [await context.newTopic(1), await newStore(), newGroup()]
      await append(topic, numbered(50, 'a'))
      const first = await collect(topic, store, group)
      await until(() => expect(store.next(topic, 0)).toBe(50))
      await first.subscription.stop()
      await append(topic, numbered(50, 'b'))
      const second = await collect(topic, store, group)
      await until(() => expect(second.texts()).toEqual(numbered(50, 'b')))
      await second.subscription.stop()
    })

    test('batches hold no more records than asked for', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(100))
      const sizes: number[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          maxBatchRecords: 7,
          handle: async (batch) => {
            sizes.push(batch.records.length)
            store.advance(batch)
            return undefined
          },
        }),
      )
      await until(() => expect(store.next(topic, 0)).toBe(100))
      expect(Math.max(...sizes)).toBeLessThanOrEqual(7)
      await subscription.stop()
    })

    test('a rejected batch is tried again from the checkpoint until it succeeds', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(20))
      const [retries, seen] = [[] as number[], [] as string[]]
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          maxBatchRecords: 10,
          onRetry: (error, position) => {
            expect(error).toEqual(new Error('not yet'))
            retries.push(position.offset)
          },
          handle: async (batch) => {
            if (batch.firstOffset === 10 && retries.length < 2) throw new Error('not yet')
            seen.push(...batch.records.map(textOf))
            store.advance(batch)
            return undefined
          },
        }),
      )
      await until(() => expect(seen).toEqual(numbered(20)))
      expect(retries).toEqual([10, 10])
      await subscription.stop()
    })

    test('reading goes on where the handler says', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(10))
      const firsts: number[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          maxBatchRecords: 5,
          handle: async (batch) => {
            firsts.push(batch.firstOffset)
            return firsts.length === 1 ? { resumeAt: 2 } : undefined
          },
        }),
      )
      await until(() => expect(firsts.slice(0, 3)).toEqual([0, 2, 7]))
      await subscription.stop()
    })

    test('restart goes back to the checkpoint, while waiting and while handling', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(10))
      const seen: number[] = []
      let finish: () => void = () => undefined
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          handle: async (batch) => {
            seen.push(batch.firstOffset)
            if (seen.length === 2) await new Promise<void>((resolve) => (finish = resolve))
            return undefined
          },
        }),
      )
      // The checkpoint never moves, as if the appends that follow the batch had failed.
      await until(() => expect(seen).toEqual([0]))
      subscription.restart({ topic, partition: 0 })
      await until(() => expect(seen).toEqual([0, 0]))
      store.set(topic, 0, { next: 4, log: await context.log().identity() })
      subscription.restart({ topic, partition: 0 })
      finish()
      await until(() => expect(seen).toEqual([0, 0, 4]))
      await subscription.stop()
    })

    test('a partition whose handler is slow does not hold up the others', async () => {
      const [topic, store] = [await context.newTopic(3), await newStore()]
      let release: () => void = () => undefined
      const slow = new Promise<void>((resolve) => (release = resolve))
      const handled: string[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          handle: async (batch) => {
            if (batch.partition === 0) await slow
            handled.push(...batch.records.map(textOf))
            store.advance(batch)
            return undefined
          },
        }),
      )
      await append(topic, ['slow'], 0)
      await append(topic, ['quick-1'], 1)
      await until(() => expect(handled).toEqual(['quick-1']))
      await append(topic, ['quick-2'], 2)
      await until(() => expect(handled).toEqual(['quick-1', 'quick-2']))
      release()
      await until(() => expect(handled).toContain('slow'))
      await subscription.stop()
    })

    test('no more partitions are handled at the same time than allowed', async () => {
      const [topic, store] = [await context.newTopic(4), await newStore()]
      await Promise.all([0, 1, 2, 3].map((partition) => append(topic, numbered(5), partition)))
      let [running, most, handled] = [0, 0, 0]
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          maxBatchRecords: 1,
          concurrency: 2,
          handle: async (batch) => {
            most = Math.max(most, (running += 1))
            // The first handler waits for a second one. If a third could start, `most` would count it.
            await until(() => expect(most).toBeGreaterThanOrEqual(2))
            await new Promise((resolve) => setImmediate(resolve))
            running -= 1
            handled += batch.records.length
            store.advance(batch)
            return undefined
          },
        }),
      )
      await until(() => expect(handled).toBe(20))
      expect(most).toBe(2)
      await subscription.stop()
    })

    test('lag counts what is not handled yet, the batch in hand included', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(10))
      let release: () => void = () => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      let handling = false
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          handle: async (batch) => {
            handling = true
            await held
            store.advance(batch)
            return undefined
          },
        }),
      )
      await until(() => expect(handling).toBe(true))
      expect(subscription.lag()).toBe(10)
      release()
      await until(() => expect(subscription.lag()).toBe(0))
      await subscription.stop()
    })

    test('10,000 records arrive whole and in order', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      const expected = numbered(10_000)
      const { subscription, texts } = await collect(topic, store)
      for (let at = 0; at < expected.length; at += 500) await append(topic, expected.slice(at, at + 500))
      await until(() => expect(store.next(topic, 0)).toBe(10_000))
      expect(texts()).toEqual(expected)
      await subscription.stop()
    })

    test('stop waits for the batch in hand', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(5))
      const events: string[] = []
      let finish: () => void = () => undefined
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          handle: async () => {
            events.push('handling')
            await new Promise<void>((resolve) => (finish = resolve))
            events.push('handled')
            return undefined
          },
        }),
      )
      await until(() => expect(events).toEqual(['handling']))
      const stopped = subscription.stop().then(() => events.push('stopped'))
      finish()
      await stopped
      expect(events).toEqual(['handling', 'handled', 'stopped'])
    })

    const stopsWith = async (topic: string, store: CheckpointStore) => {
      const stops: LogStoppedError[] = []
      const handled: LogBatch[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          onStopped: (error) => stops.push(error),
          handle: async (batch) => {
            handled.push(batch)
            return undefined
          },
        }),
      )
      await until(() => expect(stops).toHaveLength(1))
      await subscription.stop()
      expect(handled).toEqual([])
      expect(stops[0]!.message).toMatch(/^[A-Z].*\.$/)
      return stops[0]!
    }

    test('a checkpoint of another log stops the subscription', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(5))
      store.set(topic, 0, { next: 2, log: 'another log' })
      expect((await stopsWith(topic, store)).reason).toBe('foreign-log')
    })

    test('a checkpoint that is at the end by the time it is told is not taken for one beyond it', async () => {
      const topic = await context.newTopic(1)
      await append(topic, ['before'])
      let told: number | null = null
      const seen: string[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          async checkpoint({ partition }) {
            // A record that arrives during the look-up counts as read.
            if (told === null) await append(topic, ['meanwhile'])
            told ??= await context.log().endOffset(topic, partition)
            return { next: told, log: await context.log().identity() }
          },
          handle: async (batch) => {
            seen.push(...batch.records.map(textOf))
            return undefined
          },
        }),
      )
      await until(() => expect(told).toBe(2))
      await append(topic, ['after'])
      await until(() => expect(seen).toEqual(['after']))
      await subscription.stop()
    })

    test('a checkpoint beyond the end stops the subscription', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(5))
      store.set(topic, 0, { next: 6, log: await context.log().identity() })
      expect((await stopsWith(topic, store)).reason).toBe('beyond-end')
    })

    test('a checkpoint whose records were deleted stops the subscription', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(5))
      store.set(topic, 0, { next: 1, log: await context.log().identity() })
      await context.underTest().deleteBefore({ topic, partition: 0, offset: 3 })
      expect(await stopsWith(topic, store)).toMatchObject({
        reason: 'truncated-log',
        message: expect.stringMatching(
          /`cupel status` names the archive .* set CUPEL_RETENTION_ARCHIVE to it/,
        ),
      })
    })

    test('without a checkpoint a log whose beginning is gone is not read as if it were whole', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(5))
      await context.underTest().deleteBefore({ topic, partition: 0, offset: 3 })
      expect((await stopsWith(topic, store)).reason).toBe('truncated-log')
    })
  })
}
