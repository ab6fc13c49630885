/** What only a log that several processes share can keep. */
import { describe, expect, test } from 'vitest'
import type { LogRecord } from '../port.js'
import {
  CASE_TIMEOUT_MS,
  checkpointStore,
  contractContext,
  newGroup,
  numbered,
  readAll,
  record,
  startChild,
  subscribeOptions,
  textOf,
  until,
  type LogUnderTest,
} from './log-under-test.contract.js'

export function processesContract(start: () => Promise<LogUnderTest>): void {
  describe('several processes', { timeout: CASE_TIMEOUT_MS }, () => {
    let shared: LogUnderTest
    const context = contractContext(async () => (shared = await start()))
    const underTest = (): LogUnderTest => shared

    test('several processes append at once: no gap, no repeat, each one in its own order', async () => {
      const [topic, partitions, count] = [await context.newTopic(2), 2, 400]
      const children = ['a', 'b'].map((producer) =>
        startChild(underTest(), { role: 'append', topic, partitions, producer, count }),
      )
      const own = numbered(count, 'own')
      await Promise.all([
        ...children.map((child) => child.ended()),
        ...own.map((text, index) =>
          context.log().append('test', [record(topic, text, { partition: index % partitions })]),
        ),
      ])
      for (const partition of [0, 1]) {
        const records = await readAll(context.log(), topic, partition)
        expect(records.map((each) => each.offset)).toEqual(records.map((_, index) => index))
        expect(records).toHaveLength((3 * count) / partitions)
        for (const producer of ['a', 'b', 'own']) {
          const written = numbered(count, producer).filter((_, index) => index % partitions === partition)
          expect(records.map(textOf).filter((text) => text.startsWith(`${producer}-`))).toEqual(written)
        }
      }
    })

    test('what a killed member had in hand is handled by another one as soon as its lease is out', async () => {
      const [topic, group] = [await context.newTopic(2), newGroup()]
      const identity = await context.log().identity()
      const store = checkpointStore(identity)
      await context.log().append(
        'test',
        numbered(20).map((text, index) => record(topic, text, { partition: index % 2 })),
      )
      for (const partition of [0, 1]) store.advance({ topic, partition, nextOffset: 3 })
      const child = startChild(underTest(), {
        role: 'hang',
        topic,
        group,
        readFrom: 3,
        log: identity,
      })
      await until(() => expect(child.messages.length).toBeGreaterThanOrEqual(2))
      expect(child.messages).toContainEqual({ handling: 0, from: 3 })

      const records: LogRecord[] = []
      const survivor = await context.log().subscribe(
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
      await child.kill()
      const killedAt = performance.now()
      await until(() => expect(records).toHaveLength(14))
      // The lease, or the session, lasts six seconds.
      process.stdout.write(`taken over ${Math.round(performance.now() - killedAt)} ms after the kill\n`)
      for (const partition of [0, 1]) {
        const own = records.filter((each) => each.partition === partition)
        expect(own.map((each) => each.offset)).toEqual([3, 4, 5, 6, 7, 8, 9])
      }
      await survivor.stop()
    })
  })
}
