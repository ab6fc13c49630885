import { describe, expect, test } from 'vitest'
import { missingFront, requireFront } from '../missing-front.js'
import { LogStoppedError } from '../port.js'
import {
  CASE_TIMEOUT_MS,
  contractContext,
  numbered,
  readAll,
  record,
  textOf,
  type LogOfProcess,
} from './log-under-test.contract.js'

export function readingContract(start: () => Promise<LogOfProcess>): void {
  describe('reading', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)
    const appendAll = async (topic: string, texts: readonly string[]) =>
      await context.log().append(
        'test',
        texts.map((text) => record(topic, text, { partition: 0 })),
      )

    test('a range gives exactly the offsets asked for, and ends at the end', async () => {
      const topic = await context.newTopic(1)
      await appendAll(topic, numbered(100))
      const range = async (from: number, to: number) => {
        const offsets: number[] = []
        for await (const batch of context.log().read({ topic, partition: 0, from, to }))
          offsets.push(...batch.map((each) => each.offset))
        return offsets
      }
      expect(await range(10, 13)).toEqual([10, 11, 12])
      expect(await range(5, 5)).toEqual([])
      expect(await range(98, 1_000)).toEqual([98, 99])
      expect(await range(0, 100)).toHaveLength(100)
    })

    test('10,000 records are read back whole and in order', async () => {
      const topic = await context.newTopic(1)
      const texts = numbered(10_000)
      for (let at = 0; at < texts.length; at += 1_000) await appendAll(topic, texts.slice(at, at + 1_000))
      const records = await readAll(context.log(), topic, 0)
      expect(records.map((each) => each.offset)).toEqual(texts.map((_, index) => index))
      expect(records.map(textOf)).toEqual(texts)
    })

    test('each record that is read has the time at which the log took it, the same one each time', async () => {
      const topic = await context.newTopic(1)
      const before = Date.now()
      await appendAll(topic, numbered(3))
      const times = async () => (await readAll(context.log(), topic, 0)).map((each) => each.timestampMs)
      const first = await times()
      for (const time of first) expect(Math.abs(time! - before)).toBeLessThan(CASE_TIMEOUT_MS)
      expect(await times()).toEqual(first)
    })

    test('a reader that leaves early leaves nothing behind, and another one reads on', async () => {
      const topic = await context.newTopic(1)
      await appendAll(topic, numbered(3_000))
      for await (const batch of context.log().read({ topic, partition: 0, from: 0, to: 3_000 })) {
        expect(batch[0]?.offset).toBe(0)
        break
      }
      expect(await readAll(context.log(), topic, 0)).toHaveLength(3_000)
    })

    test('an end offset counts everything acknowledged before it was asked for, by whomever', async () => {
      const topic = await context.newTopic(1)
      const another = await context.open()
      for (let round = 1; round <= 20; round++) {
        // Look-ups are always in flight. One that starts after the acknowledgement must not receive an older answer.
        const earlier = [context.log().endOffset(topic, 0), context.log().endOffset(topic, 0)]
        await another.append('test', [record(topic, `n-${round}`, { partition: 0 })])
        expect(await context.log().endOffset(topic, 0)).toBe(round)
        for (const end of await Promise.all(earlier)) expect(end).toBeGreaterThanOrEqual(round - 1)
      }
    })

    test('many end offsets asked for at once are all answered', async () => {
      const topic = await context.newTopic(4)
      await context.log().append('test', [record(topic, 'a', { partition: 3 })])
      const asked = Array.from({ length: 200 }, (_, index) => context.log().endOffset(topic, index % 4))
      expect(await Promise.all(asked)).toEqual(asked.map((_, index) => (index % 4 === 3 ? 1 : 0)))
    })

    test('what was deleted is not silently skipped', async () => {
      const topic = await context.newTopic(1)
      await appendAll(topic, numbered(10))
      expect(await context.log().startOffset(topic, 0)).toBe(0)
      await context.underTest().deleteBefore({ topic, partition: 0, offset: 4 })
      expect(await context.log().startOffset(topic, 0)).toBe(4)
      const reading = async () => {
        for await (const batch of context.log().read({ topic, partition: 0, from: 2, to: 10 })) return batch
        return []
      }
      await expect(reading()).rejects.toThrow(LogStoppedError)
      await expect(reading()).rejects.toMatchObject({ reason: 'truncated-log' })
      // Offsets continue from the same number, even when no record is left.
      await context.underTest().deleteBefore({ topic, partition: 0, offset: 10 })
      expect(await appendAll(topic, ['next'])).toEqual([{ topic, partition: 0, offset: 10 }])
    })

    test('a topic whose oldest records were deleted is known to lack its front, also where none is left', async () => {
      const topic = await context.newTopic(2)
      await context.log().append(
        'test',
        [0, 1, 2].map((n) => record(topic, `n-${n}`, { partition: 1 })),
      )
      expect(await missingFront(context.log(), [topic])).toBeNull()
      for (const offset of [1, 3]) {
        await context.underTest().deleteBefore({ topic, partition: 1, offset })
        expect(await missingFront(context.log(), [topic])).toContain(`${topic}/1 begins at offset ${offset}:`)
        await expect(requireFront(context.log(), [topic])).rejects.toMatchObject({ reason: 'truncated-log' })
      }
    })

    test('an unknown topic is named in the refusal', async () => {
      await expect(context.log().partitionCount('contract.unknown.v1')).rejects.toThrow('contract.unknown.v1')
      await expect(context.log().append('test', [record('contract.unknown.v1', 'a')])).rejects.toThrow(
        'contract.unknown.v1',
      )
    })
  })
}
