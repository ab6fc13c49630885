import { describe, expect, test } from 'vitest'
import type { EventLog, LogRecord, TailOptions } from '../port.js'
import {
  CASE_TIMEOUT_MS,
  contractContext,
  numbered,
  record,
  textOf,
  until,
  type LogOfProcess,
} from './log-under-test.contract.js'

export function tailingContract(start: () => Promise<LogOfProcess>): void {
  describe('tailing', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)
    const collect = async (log: EventLog, topic: string, options: Partial<TailOptions> = {}) => {
      const seen: LogRecord[] = []
      const tail = await log.tail({
        topic,
        partition: 0,
        onRecords: (records) => seen.push(...records),
        onStopped: (error) => {
          throw error
        },
        ...options,
      })
      return { seen, tail }
    }
    const append = async (log: EventLog, topic: string, texts: readonly string[], partition = 0) =>
      await Promise.all(texts.map((text) => log.append('test', [record(topic, text, { partition })])))

    test('it starts at the end: what was there before is not delivered', async () => {
      const topic = await context.newTopic(2)
      await append(context.log(), topic, ['before'])
      const { seen, tail } = await collect(context.log(), topic)
      expect(tail.isReady()).toBe(true)
      await append(context.log(), topic, ['elsewhere'], 1)
      await append(context.log(), topic, ['after'])
      await until(() => expect(seen.map(textOf)).toEqual(['after']))
      await tail.stop()
    })

    test('ready means that nothing appended from now on is missed', async () => {
      const topic = await context.newTopic(1)
      for (let round = 0; round < 5; round++) {
        const { seen, tail } = await collect(context.log(), topic)
        await append(context.log(), topic, [`round-${round}`])
        await until(() => expect(seen.map(textOf)).toEqual([`round-${round}`]))
        await tail.stop()
        expect(tail.isReady()).toBe(false)
      }
    })

    test('each offset comes once and in order, from this process and from others', async () => {
      const topic = await context.newTopic(1)
      const another = await context.open()
      const { seen, tail } = await collect(context.log(), topic)
      await Promise.all([
        append(context.log(), topic, numbered(300, 'own')),
        append(another, topic, numbered(300, 'other')),
      ])
      await until(() => expect(seen).toHaveLength(600))
      const offsets = seen.map((each) => each.offset)
      expect(offsets).toEqual([...offsets].sort((one, other) => one - other))
      expect(new Set(offsets).size).toBe(600)
      expect(offsets.at(-1)! - offsets[0]!).toBe(599)
      for (const producer of ['own', 'other'])
        expect(seen.map(textOf).filter((text) => text.startsWith(`${producer}-`))).toEqual(
          numbered(300, producer),
        )
      await tail.stop()
    })

    test('a tail appends nothing', async () => {
      const topic = await context.newTopic(1)
      await append(context.log(), topic, ['before'])
      const { tail } = await collect(context.log(), topic)
      expect(tail.isReady()).toBe(true)
      expect(await context.log().endOffset(topic, 0)).toBe(1)
      await tail.stop()
    })

    test('a stopped tail delivers nothing more', async () => {
      const topic = await context.newTopic(1)
      const stopped = await collect(context.log(), topic)
      const witness = await collect(context.log(), topic)
      await stopped.tail.stop()
      await append(context.log(), topic, ['a'])
      await until(() => expect(witness.seen.map(textOf)).toEqual(['a']))
      expect(stopped.seen).toEqual([])
      await witness.tail.stop()
    })
  })
}
