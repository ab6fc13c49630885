import { describe, expect, test } from 'vitest'
import type { EventLog, LogRecord } from '../port.js'
import {
  CASE_TIMEOUT_MS,
  checkpointStore,
  contractContext,
  newGroup,
  numbered,
  record,
  startChild,
  subscribeOptions,
  textOf,
  until,
  type CheckpointStore,
  type LogUnderTest,
} from './log-under-test.contract.js'

export function groupContract(start: () => Promise<LogUnderTest>): void {
  describe('groups', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)
    const join = async (log: EventLog, group: string, topic: string, store: CheckpointStore) => {
      const records: LogRecord[] = []
      const subscription = await log.subscribe(
        subscribeOptions({
          group,
          topics: [topic],
          checkpoint: store.load,
          handle: async (batch) => {
            records.push(...batch.records)
            store.advance(batch)
            return undefined
          },
        }),
      )
      return {
        records,
        subscription,
        partitions: () => subscription.assigned().map((each) => each.partition),
      }
    }
    const appendEverywhere = async (topic: string, partitions: number, texts: readonly string[]) =>
      await context.log().append(
        'test',
        texts.map((text, index) => record(topic, text, { partition: index % partitions })),
      )

    test('two members share the partitions evenly, and the one that stays takes over from the one that leaves', async () => {
      const [topic, group] = [await context.newTopic(4), newGroup()]
      const store = checkpointStore(await context.log().identity())
      const first = await join(context.log(), group, topic, store)
      await until(() => expect(first.partitions()).toHaveLength(4))
      const second = await join(await context.open(), group, topic, store)
      await until(() => {
        expect(first.partitions()).toHaveLength(2)
        expect(second.partitions()).toHaveLength(2)
        expect([...first.partitions(), ...second.partitions()].sort()).toEqual([0, 1, 2, 3])
      })

      await appendEverywhere(topic, 4, numbered(100, 'shared'))
      await until(() => expect(first.records.length + second.records.length).toBe(100))
      expect(first.records.length).toBe(50)

      await second.subscription.stop()
      expect(second.partitions()).toEqual([])
      await appendEverywhere(topic, 4, numbered(100, 'alone'))
      await until(() => expect(first.records).toHaveLength(150))
      expect(first.partitions()).toHaveLength(4)
      const texts = [...first.records, ...second.records].map(textOf).sort()
      expect(texts).toEqual([...numbered(100, 'shared'), ...numbered(100, 'alone')].sort())
      await first.subscription.stop()
    })

    test('a group reads only the partitions it asks for, and is behind in no other', async () => {
      const [topic, group] = [await context.newTopic(4), newGroup()]
      const store = checkpointStore(await context.log().identity())
      const records: LogRecord[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group,
          topics: [topic],
          reads: ({ topic: of, partition }) => of === topic && partition >= 2,
          checkpoint: store.load,
          handle: async (batch) => {
            records.push(...batch.records)
            store.advance(batch)
            return undefined
          },
        }),
      )
      await until(() => expect(subscription.assigned()).toHaveLength(2))
      await appendEverywhere(topic, 4, numbered(40, 'some'))
      await until(() => expect(records).toHaveLength(20))
      expect([...new Set(records.map(({ partition }) => partition))].sort()).toEqual([2, 3])
      await until(() => expect(subscription.lag()).toBe(0))
      expect(subscription.assigned().map(({ partition }) => partition)).toEqual(
        expect.arrayContaining([2, 3]),
      )
      await subscription.stop()
    })

    test('groups do not disturb each other: each one handles everything', async () => {
      const topic = await context.newTopic(2)
      const stores = await Promise.all(
        [0, 1].map(async () => checkpointStore(await context.log().identity())),
      )
      const members = await Promise.all(stores.map((store) => join(context.log(), newGroup(), topic, store)))
      await appendEverywhere(topic, 2, numbered(20))
      for (const member of members) await until(() => expect(member.records).toHaveLength(20))
      await Promise.all(members.map((member) => member.subscription.stop()))
    })

    test('more members than partitions: one works, the others stand by', async () => {
      const [topic, group] = [await context.newTopic(1), newGroup()]
      const store = checkpointStore(await context.log().identity())
      const first = await join(context.log(), group, topic, store)
      const second = await join(await context.open(), group, topic, store)
      await until(() => expect([...first.partitions(), ...second.partitions()]).toEqual([0]))
      const [working, standby] = first.partitions().length === 1 ? [first, second] : [second, first]
      await working.subscription.stop()
      await appendEverywhere(topic, 1, ['a'])
      await until(() => expect(standby.records.map(textOf)).toEqual(['a']))
      await standby.subscription.stop()
    })

    test('what a killed member had in hand is handled by another one as soon as its lease is out', async () => {
      const [topic, group] = [await context.newTopic(2), newGroup()]
      const identity = await context.log().identity()
      const store = checkpointStore(identity)
      await appendEverywhere(topic, 2, numbered(20))
      for (const partition of [0, 1]) store.advance({ topic, partition, nextOffset: 3 })
      const child = startChild(context.underTest(), {
        role: 'hang',
        topic,
        group,
        readFrom: 3,
        log: identity,
      })
      await until(() => expect(child.messages.length).toBeGreaterThanOrEqual(2))
      expect(child.messages).toContainEqual({ handling: 0, from: 3 })

      const survivor = await join(context.log(), group, topic, store)
      await child.kill()
      const killedAt = performance.now()
      await until(() => expect(survivor.records).toHaveLength(14))
      // The lease, or the session, lasts six seconds.
      process.stdout.write(`taken over ${Math.round(performance.now() - killedAt)} ms after the kill\n`)
      for (const partition of [0, 1]) {
        const own = survivor.records.filter((each) => each.partition === partition)
        expect(own.map((each) => each.offset)).toEqual([3, 4, 5, 6, 7, 8, 9])
      }
      await survivor.subscription.stop()
    })
  })
}
