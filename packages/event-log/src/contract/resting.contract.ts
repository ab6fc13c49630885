import { describe, expect, test } from 'vitest'
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
  type LogOfProcess,
} from './log-under-test.contract.js'

/** Longer than any case may take. A reader that starts such a rest reads nothing more by itself. */
const FOR_EVER_MS = 10 * CASE_TIMEOUT_MS

export function restingContract(start: () => Promise<LogOfProcess>): void {
  describe('resting', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)

    async function resting(topic: string, maxBatchRecords = 500) {
      const store = checkpointStore(await context.log().identity())
      const texts: string[] = []
      const subscription = await context.log().subscribe(
        subscribeOptions({
          ...{ group: newGroup(), topics: [topic], maxBatchRecords, restMs: FOR_EVER_MS },
          checkpoint: store.load,
          handle: async (batch) => {
            texts.push(...batch.records.map(textOf))
            store.advance(batch)
            return undefined
          },
        }),
      )
      return { texts, subscription }
    }
    const append = async (topic: string, texts: readonly string[], partition = 0) =>
      await context.log().append(
        'test',
        texts.map((text) => record(topic, text, { partition })),
      )

    test('a nudge ends the rest, and what was appended before it is read without another one', async () => {
      const topic = await context.newTopic(2)
      const { texts, subscription } = await resting(topic)
      const expected: string[] = []
      for (const text of numbered(5)) {
        await append(topic, [text])
        expected.push(text)
        subscription.nudge()
        await until(() => expect(texts).toEqual(expected))
      }
      await subscription.stop()
    })

    test('what is behind is read to its end before the first rest', async () => {
      const topic = await context.newTopic(1)
      await append(topic, numbered(1_003))
      const { texts, subscription } = await resting(topic, 10)
      await until(() => expect(texts).toEqual(numbered(1_003)))
      await subscription.stop()
    })

    test('a restart and a stop do not wait for the rest', async () => {
      const topic = await context.newTopic(1)
      await append(topic, ['a'])
      const { texts, subscription } = await resting(topic)
      await until(() => expect(texts).toEqual(['a']))
      await append(topic, ['b'])
      subscription.restart({ topic, partition: 0 })
      await until(() => expect(texts).toEqual(['a', 'b']))
      await subscription.stop()
    })
  })
}
