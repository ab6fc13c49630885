import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createThreadPool, OrderEndedError, ThreadPoolBusyError, type ThreadPool } from './thread-pool.js'

/** A thread that answers an order, fails it, or never ends it. */
const PROGRAM = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', ({ text }) => {
    if (text.startsWith('hang')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (text.startsWith('exit')) process.exit(1)
    parentPort.postMessage(text.startsWith('fail') ? { fault: text } : { value: text })
  })`

/** A thread on a busy machine starts within this time. */
const TIMEOUT_MS = 3_000

let pool: ThreadPool<{ readonly text: string }, string>
let done: string[]
beforeEach(() => {
  done = []
  pool = createThreadPool({
    start: () => new Worker(PROGRAM, { eval: true }),
    ...{ threads: 1, maxWaiting: 8, maxWaitingPerOwner: 4, timeoutMs: TIMEOUT_MS, idleMs: 60_000 },
  })
})
afterEach(() => pool.close())

const run = (owner: string, text: string): Promise<string> =>
  pool.run(owner, { text }).finally(() => done.push(text))

test('an order that never ends, or ends its thread, takes no other order with it', async () => {
  const orders = ['hang', 'one', 'exit', 'two'].map((text) => run('a', text))
  const outcomes = await Promise.allSettled(orders)
  expect(
    outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason instanceof OrderEndedError)),
  ).toEqual([true, 'one', true, 'two'])
})

test('time that an order waits does not count as its work', async () => {
  const orders = ['hang 1', 'hang 2', 'last'].map((text) => run('a', text))
  const outcomes = await Promise.allSettled(orders)
  expect(outcomes.at(-1)).toMatchObject({ status: 'fulfilled', value: 'last' })
})

test('what ended its thread is refused for a while, and what failed is tried again', async () => {
  await expect(run('a', 'hang')).rejects.toThrow('ended')
  await expect(run('b', 'hang')).rejects.toThrow('a while ago')
  await expect(run('a', 'fail')).rejects.toThrow('fail')
  await expect(run('a', 'fail')).rejects.toThrow('fail')
})

test('owners take turns: the many orders of one delay another by one order', async () => {
  const many = ['a1', 'a2', 'a3', 'a4'].map((text) => run('a', text))
  await Promise.all([...many, run('b', 'b1')])
  expect(done.indexOf('b1')).toBeLessThanOrEqual(2)
})

test('an owner has so many waiting orders and no more, and all owners together a few more', async () => {
  const busy = async (owner: string, text: string): Promise<boolean> =>
    await run(owner, text).then(
      () => false,
      (error: unknown) => error instanceof ThreadPoolBusyError,
    )
  const ofOne = Array.from({ length: 6 }, (_, at) => busy('a', `a${at}`))
  const ofOthers = Array.from({ length: 6 }, (_, at) => busy(`b${at}`, `b${at}`))
  // The first order does not wait.
  expect(await Promise.all(ofOne)).toEqual([false, false, false, false, false, true])
  expect((await Promise.all(ofOthers)).filter(Boolean)).toHaveLength(2)
})

test('what has not ended is rejected when the pool is closed', async () => {
  const orders = ['hang', 'waiting'].map((text) => expect(run('a', text)).rejects.toThrow('ended'))
  await pool.close()
  await Promise.all(orders)
})
