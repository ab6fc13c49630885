import { describe, expect, test } from 'vitest'
import type { EventLog, LogRecord } from '../port.js'
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

export function groupContract(start: () => Promise<LogOfProcess>): void {
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
  })
}
