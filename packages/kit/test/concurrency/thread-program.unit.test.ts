import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { threadProgram } from '../../src/concurrency/thread-program.js'

test('in an installation the program is the transpiled file next to its caller', () => {
  const [program, options] = threadProgram('file:///app/dist/part-7.js', 'render-worker', { workerData: 1 })
  expect(String(program)).toBe('file:///app/dist/render-worker.js')
  expect(options).toEqual({ execArgv: [], workerData: 1 })
})

test('in tests the program is its source, with the sources that it imports', async () => {
  const worker = new Worker(...threadProgram(import.meta.url, 'sample-thread', { workerData: 20 }))
  const answer = await new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
  })
  await worker.terminate()
  expect(answer).toBe(20)
})
