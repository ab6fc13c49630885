import { createSlots } from '@cupel/kit/concurrency'
import { silentLogger } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { expect, test, vi } from 'vitest'
import type { SubscribeOptions } from '../port.js'
import type { FeedHub, FeedListener } from './partition-feed.js'
import { startPartitionWorker } from './partition-worker.js'

const record = { topic: 't', partition: 0, offset: 3, key: 'k', value: Buffer.alloc(1), headers: {} }

test('a nudge asks for records of another process, but not while known ones are unread', async () => {
  let end = 3
  let listener: FeedListener | null = null
  const look = vi.fn(() => {
    end = 4
    listener!.onNews()
  })
  const open: FeedHub['open'] = (address, _end, given) => {
    listener = given
    const recent = (): (typeof record)[] => [record]
    return { address, end: () => end, recent, seen: () => undefined, reachable: () => true, look, close() {} }
  }
  let handled: () => void = () => undefined
  const handle = vi.fn(() => new Promise<undefined>((resolve) => (handled = () => resolve(undefined))))
  const options = { checkpoint: async () => ({ next: 3, log: 'log' }), handle, maxBatchRecords: 10 }
  const worker = startPartitionWorker(
    { id: 7, topic: 't', partition: 0 },
    options as unknown as SubscribeOptions,
    {
      database: {} as Database,
      hub: { open } as FeedHub,
      boundsOf: async () => ({ start: 0, end }),
      identity: async () => 'log' as never,
      inTurn: createSlots(1),
      onStopped: () => undefined,
      logger: silentLogger,
    },
  )
  await until(() => expect(worker.lag()).toBe(0))
  worker.nudge()
  await until(() => expect(handle).toHaveBeenCalledTimes(1))
  worker.nudge()
  expect(look).toHaveBeenCalledTimes(1)
  handled()
  await worker.stop()
})
