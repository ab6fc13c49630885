import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { SendResult } from './collector-client.js'
import { createExportQueue, MAX_EXPORT_RETRIES, MAX_ITEMS_PER_REQUEST } from './export-queue.js'
import type { EndedSpan } from './local-trace.js'

const spans = (count: number): EndedSpan[] => Array.from({ length: count }, () => ({}) as EndedSpan)
const TAKEN: SendResult = { kind: 'taken', rejected: 0 }
const BUSY: SendResult = { kind: 'busy', because: 'ECONNREFUSED' }

/** Returns the `answers` in turn, and repeats the last one from then on. */
function queueWith(answers: readonly (SendResult | Promise<SendResult>)[], maxSpans = 10_000) {
  const seen = { batches: [] as number[], exported: 0, dropped: {} as Record<string, number> }
  const left = [...answers]
  const queue = createExportQueue<EndedSpan>({
    client: { send: async () => await (left.length > 1 ? left.shift()! : left[0]!) },
    requestOf(batch) {
      seen.batches.push(batch.length)
      return ''
    },
    ...{ maxItems: maxSpans, delayMs: 0, retryPauseMs: 0 },
    onExported: (count) => (seen.exported += count),
    onDropped: (count, reason) => (seen.dropped[reason] = (seen.dropped[reason] ?? 0) + count),
  })
  return { queue, seen }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

test('spans are sent in batches, each once', async () => {
  const { queue, seen } = queueWith([TAKEN])
  queue.add(spans(MAX_ITEMS_PER_REQUEST))
  queue.add(spans(3))
  await until(() => seen.exported === MAX_ITEMS_PER_REQUEST + 3)
  expect(seen).toEqual({
    batches: [MAX_ITEMS_PER_REQUEST, 3],
    exported: MAX_ITEMS_PER_REQUEST + 3,
    dropped: {},
  })
  await queue.close()
})

test('a batch that the collector cannot take is sent again', async () => {
  const { queue, seen } = queueWith([BUSY, BUSY, TAKEN])
  queue.add(spans(2))
  await until(() => seen.exported === 2)
  expect(seen).toEqual({ batches: [2], exported: 2, dropped: {} })
  await queue.close()
})

test('a dead collector drops what it does not take, and the next batch is tried', async () => {
  const { queue, seen } = queueWith([...Array.from({ length: MAX_EXPORT_RETRIES + 1 }, () => BUSY), TAKEN])
  queue.add(spans(2))
  await until(() => seen.dropped['unreachable'] === 2)
  queue.add(spans(5))
  await until(() => seen.exported === 5)
  expect(seen.dropped).toEqual({ unreachable: 2 })
  await queue.close()
})

test('refused spans are not sent again', async () => {
  const { queue, seen } = queueWith([
    { kind: 'refused', because: '400' },
    { kind: 'taken', rejected: 1 },
  ])
  queue.add(spans(2))
  await until(() => seen.dropped['refused'] === 2)
  queue.add(spans(3))
  await until(() => seen.dropped['refused'] === 3)
  expect(seen.exported).toBe(2)
  await queue.close()
})

test('a full queue drops whole traces, and nothing waits for it', async () => {
  let answer!: (result: SendResult) => void
  const { queue, seen } = queueWith([new Promise((resolve) => (answer = resolve))], 4)
  queue.add(spans(3))
  await until(() => seen.batches.length === 1)
  queue.add(spans(2))
  expect(seen.dropped).toEqual({ queue_full: 2 })
  answer(TAKEN)
  await until(() => seen.exported === 3)
  await queue.close()
})

test('the end sends what waits, and drops the rest', async () => {
  const sent = queueWith([TAKEN])
  sent.queue.add(spans(2))
  await sent.queue.close()
  expect(sent.seen).toMatchObject({ exported: 2, dropped: {} })
  sent.queue.add(spans(1))
  expect(sent.seen.dropped).toEqual({ shutdown: 1 })

  const dead = queueWith([BUSY])
  dead.queue.add(spans(2))
  await dead.queue.close()
  expect(dead.seen).toMatchObject({ exported: 0, dropped: { unreachable: 2 } })
})
