import { silentLogger } from '@cupel/contracts'
import type { AttemptRecord } from '../outcomes.js'
import { expect, test } from 'vitest'
import { createRecordQueue } from './record-queue.js'

const recordOf = (deliveryId: string): AttemptRecord => ({
  delivery: {
    ...{
      deliveryId,
      traceparent: null,
      claim: 1,
      webhookId: '',
      endpointId: '',
      accountId: '',
      livemode: true,
      type: 'endpoint.test',
    },
    ...{ jobId: null, attempts: 0, bodyId: '', bodyBytes: 0, url: '', isProven: true, secrets: [] },
  },
  ...{
    attemptedAt: '',
    statusCode: 200,
    error: null,
    durationMs: 1,
    responseExcerpt: null,
    signature: null,
    decision: { kind: 'delivered' },
  },
})
const idsOf = (batches: readonly (readonly AttemptRecord[])[]): string[][] =>
  batches.map((batch) => batch.map(({ delivery }) => delivery.deliveryId))

test('attempts that end while a batch is written are recorded together in the next one', async () => {
  const batches: (readonly AttemptRecord[])[] = []
  let written: () => void = () => undefined
  const queue = createRecordQueue({
    logger: silentLogger,
    record: async (batch) => {
      batches.push(batch)
      if (batches.length === 1) await new Promise<void>((resolve) => (written = resolve))
    },
  })
  const first = queue.add(recordOf('a'))
  await new Promise((resolve) => setImmediate(resolve))
  const others = [queue.add(recordOf('b')), queue.add(recordOf('c'))]
  written()
  await Promise.all([first, ...others])
  expect(idsOf(batches)).toEqual([['a'], ['b', 'c']])
})

test('a batch that cannot be written is written again until it can, and says why meanwhile', async () => {
  let failures = 2
  const batches: (readonly AttemptRecord[])[] = []
  const errors: (string | null)[] = []
  const queue = createRecordQueue({
    logger: silentLogger,
    record: async (batch) => {
      errors.push(queue.error())
      if (failures-- > 0) throw new Error('the store is down')
      batches.push(batch)
    },
  })
  await queue.add(recordOf('a'))
  expect(idsOf(batches)).toEqual([['a']])
  expect(errors).toEqual([null, 'the store is down', 'the store is down'])
  expect(queue.error()).toBeNull()
})

test('told to give up, it lets its senders go', async () => {
  const queue = createRecordQueue({ logger: silentLogger, record: () => Promise.reject(new Error('down')) })
  const adding = queue.add(recordOf('a'))
  queue.giveUp()
  await adding
  expect(queue.error()).toBe('down')
})
