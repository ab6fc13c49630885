import { describe, expect, test } from 'vitest'
import { LogUnavailableError, MAX_RECORD_BYTES, RecordTooLargeError, typeOf } from '../port.js'
import {
  CASE_TIMEOUT_MS,
  contractContext,
  numbered,
  readAll,
  record,
  textOf,
  topicSpec,
  type LogOfProcess,
} from './log-under-test.contract.js'

export function appendingContract(start: () => Promise<LogOfProcess>): void {
  describe('appending', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)

    test('records of one partition keep the order they were given in, over many calls', async () => {
      const topic = await context.newTopic(2)
      const texts = numbered(300)
      const positions = await Promise.all(
        texts.map((text) => context.log().append('test', [record(topic, text, { partition: 1 })])),
      )
      expect(positions.flat().map((position) => position.offset)).toEqual(texts.map((_, index) => index))
      const records = await readAll(context.log(), topic, 1)
      expect(records.map(textOf)).toEqual(texts)
      expect(await readAll(context.log(), topic, 0)).toEqual([])
    })

    test('a record comes back as it was given', async () => {
      const topic = await context.newTopic(1)
      const value = Buffer.from([0, 1, 2, 255, 254, 10, 13, 39, 92])
      const headers = { ce_type: 'contract.Happened', ce_subject: 'ünïcode "quoted" \\ {x}', empty: '' }
      const [position] = await context
        .log()
        .append('test', [{ topic, partition: 0, key: 'clé 🔑', value, headers }])
      expect(position).toEqual({ topic, partition: 0, offset: 0 })
      const [found, ...others] = await readAll(context.log(), topic, 0)
      expect(others).toEqual([])
      const given = { topic, partition: 0, offset: 0, key: 'clé 🔑', value, headers }
      const timestampMs = expect.any(Number) as number
      expect({ ...found!, type: undefined }).toEqual({ ...given, timestampMs })
      expect(typeOf(found!)).toBe('contract.Happened')
    })

    test('equal keys share the partition that partitionFor names', async () => {
      const topic = await context.newTopic(8)
      const keys = numbered(40, 'key')
      const placed = new Map<string, number>()
      for (const round of ['a', 'b']) {
        const positions = await context.log().append(
          'test',
          keys.map((key) => record(topic, `${key}-${round}`, { key })),
        )
        for (const [index, { partition }] of positions.entries()) {
          const key = keys[index]!
          expect(placed.get(key) ?? partition).toBe(partition)
          expect(await context.log().partitionFor(topic, key)).toBe(partition)
          placed.set(key, partition)
        }
      }
      expect(new Set(placed.values()).size).toBeGreaterThan(4)
    })

    test('a key is placed as Kafka places it, whichever log it is', async () => {
      const topic = await context.newTopic(16)
      // murmur2('foobar') = -790332482, murmur2('abc') = 479470107; the partition is the positive part modulo 16.
      expect(await context.log().partitionFor(topic, 'foobar')).toBe((-790332482 & 0x7fffffff) % 16)
      expect(await context.log().partitionFor(topic, 'abc')).toBe(479470107 % 16)
    })

    test('one call may hold records of several topics and partitions; positions come back in its order', async () => {
      const [first, second] = [await context.newTopic(2), await context.newTopic(1)]
      const positions = await context
        .log()
        .append('test', [
          record(second, 'a', { partition: 0 }),
          record(first, 'b', { partition: 1 }),
          record(second, 'c', { partition: 0 }),
          record(first, 'd', { partition: 0 }),
        ])
      expect(positions).toEqual([
        { topic: second, partition: 0, offset: 0 },
        { topic: first, partition: 1, offset: 0 },
        { topic: second, partition: 0, offset: 1 },
        { topic: first, partition: 0, offset: 0 },
      ])
      expect(await context.log().append('test', [])).toEqual([])
    })

    test('400 records of 3 kB and two of 900 kB go in one call', async () => {
      const topic = await context.newTopic(1)
      const small = Array.from({ length: 400 }, (_, index) => `${index}:`.padEnd(3_000, 'x'))
      const large = [Buffer.alloc(900_000, 1), Buffer.alloc(900_000, 2)]
      await context
        .log()
        .append('test', [
          ...small.slice(0, 200).map((text) => record(topic, text, { partition: 0, key: 'k' })),
          ...large.map((value) => ({ ...record(topic, 'large', { partition: 0, key: 'k' }), value })),
          ...small.slice(200).map((text) => record(topic, text, { partition: 0, key: 'k' })),
        ])
      const records = await readAll(context.log(), topic, 0)
      expect(records.map((each) => each.offset)).toEqual(Array.from({ length: 402 }, (_, index) => index))
      expect(records.slice(0, 200).map(textOf)).toEqual(small.slice(0, 200))
      expect(records.slice(200, 202).map((each) => each.value?.equals(large[each.offset - 200]!))).toEqual([
        true,
        true,
      ])
      expect(records.slice(202).map(textOf)).toEqual(small.slice(200))
    })

    test('a record of the largest size is accepted; only a larger one is refused', async () => {
      const topic = await context.newTopic(1)
      const largest = {
        topic,
        partition: 0,
        key: 'k',
        value: Buffer.alloc(MAX_RECORD_BYTES - 1),
        headers: {},
      }
      const oversized = { ...largest, value: Buffer.alloc(MAX_RECORD_BYTES) }
      const [accepted, refused, neighbour] = await Promise.allSettled([
        context.log().append('test', [largest]),
        context.log().append('test', [record(topic, 'with it', { partition: 0 }), oversized]),
        context.log().append('test', [record(topic, 'neighbour', { partition: 0 })]),
      ])
      expect(accepted.status).toBe('fulfilled')
      expect(neighbour.status).toBe('fulfilled')
      expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(RecordTooLargeError) })
      // The log wrote nothing of the refused call, so its caller knows the outcome of all of it.
      expect((await readAll(context.log(), topic, 0)).map((each) => each.value?.length)).toEqual([
        MAX_RECORD_BYTES - 1,
        'neighbour'.length,
      ])
    })

    test('a topic prefix separates installations on one log', async () => {
      const name = await context.newTopic(1)
      const [north, south] = [
        await context.open({ topicPrefix: 'north.' }),
        await context.open({ topicPrefix: 'south.' }),
      ]
      for (const log of [north, south]) await log.ensureTopics([topicSpec(name, 1)])
      await north.append('test', [record(name, 'of north', { partition: 0 })])
      await south.append('test', [record(name, 'of south', { partition: 0 })])
      const northern = await readAll(north, name, 0)
      expect(northern.map((each) => [each.topic, textOf(each)])).toEqual([[name, 'of north']])
      expect((await readAll(south, name, 0)).map(textOf)).toEqual(['of south'])
      expect(await context.log().endOffset(name, 0)).toBe(0)
      expect(await north.identity()).not.toBe(await south.identity())
    })

    test('every adapter on one log names the same identity, and creating topics again changes nothing', async () => {
      const topic = await context.newTopic(3)
      await context.log().append('test', [record(topic, 'a', { partition: 2 })])
      const another = await context.open()
      expect(await another.topicFaults([topicSpec(topic, 3)])).toEqual([])
      expect(await another.ensureTopics([topicSpec(topic, 3)])).toEqual([])
      expect(await another.identity()).toBe(await context.log().identity())
      expect(await another.partitionCount(topic)).toBe(3)
      expect(await another.endOffset(topic, 2)).toBe(1)
    })

    test('a topic that is missing or has another size is told, and not made', async () => {
      const topic = await context.newTopic(2)
      const [missing, other] = [topicSpec(`${topic}.missing`, 1), topicSpec(topic, 3)]
      for (let look = 0; look < 2; look += 1)
        expect(await context.log().topicFaults([missing, other])).toMatchObject([
          { topic: expect.stringContaining(missing.name), setting: 'topic', found: null, isMended: true },
          { topic: expect.stringContaining(topic), setting: 'partitions', found: '2', isMended: false },
        ])
    })

    test('a closed log has sent what it accepted and accepts nothing more', async () => {
      const topic = await context.newTopic(1)
      const log = await context.underTest().open()
      const accepted = numbered(50).map((text) => log.append('test', [record(topic, text, { partition: 0 })]))
      await log.close()
      await Promise.all(accepted)
      expect(await readAll(context.log(), topic, 0)).toHaveLength(50)
      await expect(log.append('test', [record(topic, 'late', { partition: 0 })])).rejects.toThrow(
        LogUnavailableError,
      )
    })
  })
}
