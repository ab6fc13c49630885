/** What a subscription reports about a partition that could not be read or handled, and when it reports the recovery. */
import { describe, expect, test } from 'vitest'
import {
  CASE_TIMEOUT_MS,
  checkpointStore,
  contractContext,
  newGroup,
  numbered,
  record,
  subscribeOptions,
  until,
  type LogOfProcess,
} from './log-under-test.contract.js'

export function recoveringContract(start: () => Promise<LogOfProcess>): void {
  describe('recovering', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)
    const newStore = async () => checkpointStore(await context.log().identity())
    const append = async (topic: string, texts: readonly string[]) =>
      await context.log().append(
        'test',
        texts.map((text) => record(topic, text, { partition: 0 })),
      )

    /** The partitions that have trouble now, as a subscription reports it, and each recovery. */
    const troubles = () => {
      const [troubled, recoveries] = [new Set<number>(), [] as number[]]
      return {
        troubled,
        recoveries,
        onRetry: (_: unknown, { partition }: { partition: number }) => void troubled.add(partition),
        onRecovered: ({ partition }: { partition: number }) => {
          recoveries.push(partition)
          troubled.delete(partition)
        },
      }
    }

    test('a rejected batch is reported over once it was handled, and not before', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(3))
      const { troubled, recoveries, ...listeners } = troubles()
      let rejections = 0
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          ...listeners,
          handle: async (batch) => {
            if (rejections < 3) {
              rejections += 1
              expect(recoveries).toEqual([])
              throw new Error('not yet')
            }
            expect(troubled.size).toBe(1)
            store.advance(batch)
            return undefined
          },
        }),
      )
      await until(() => expect(recoveries).toEqual([0]))
      expect(store.next(topic, 0)).toBe(3)
      expect(troubled.size).toBe(0)
      await subscription.stop()
    })

    test('a rejected batch whose checkpoint moved all the same is over without a further record', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(3))
      const { troubled, recoveries, ...listeners } = troubles()
      let batches = 0
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          ...listeners,
          handle: async (batch) => {
            batches += 1
            store.advance(batch)
            throw new Error('The answer to the commit was lost')
          },
        }),
      )
      await until(() => expect(recoveries).toEqual([0]))
      expect(batches).toBe(1)
      expect(troubled.size).toBe(0)
      await subscription.stop()
    })

    test('a partition whose place could not be found is without trouble once it is read, also where it is empty', async () => {
      const [topic, store] = [await context.newTopic(2), await newStore()]
      const { troubled, ...listeners } = troubles()
      let refusals = 4
      let answers = 0
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: async (place) => {
            if (refusals-- > 0) throw new Error('connect ECONNREFUSED')
            answers += 1
            return await store.load(place)
          },
          ...listeners,
          handle: async () => undefined,
        }),
      )
      await until(() => expect(answers).toBe(2))
      await until(() => expect(troubled.size).toBe(0))
      await subscription.stop()
    })

    test('a partition that is given up leaves no trouble behind for its next reading', async () => {
      const [topic, store] = [await context.newTopic(1), await newStore()]
      await append(topic, numbered(3))
      const { troubled, recoveries, ...listeners } = troubles()
      const subscription = await context.log().subscribe(
        subscribeOptions({
          group: newGroup(),
          topics: [topic],
          checkpoint: store.load,
          ...listeners,
          handle: () => Promise.reject(new Error('not yet')),
        }),
      )
      await until(() => expect(troubled.size).toBe(1))
      expect(recoveries).toEqual([])
      await subscription.stop()
      expect(troubled.size).toBe(0)
    })
  })
}
