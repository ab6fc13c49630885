import { silentLogger } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { createShutdown } from './shutdown.js'

test('phases run in reverse order of registration, once', async () => {
  const order: string[] = []
  const shutdown = createShutdown({ logger: silentLogger, timeoutMs: 1_000 })
  shutdown.phase('log', async () => void order.push('log'))
  shutdown.phase('api', async () => void order.push('api'))
  expect(await Promise.all([shutdown.run('a'), shutdown.run('b')])).toEqual([0, 0])
  expect(order).toEqual(['api', 'log'])
})

test('a phase that fails does not keep the others from running, and is reported by the exit code', async () => {
  const order: string[] = []
  const shutdown = createShutdown({ logger: silentLogger, timeoutMs: 1_000 })
  shutdown.phase('log', async () => void order.push('log'))
  shutdown.phase('api', async () => Promise.reject(new Error('no')))
  expect(await shutdown.run('test')).toBe(1)
  expect(order).toEqual(['log'])
})

test('a phase that hangs is cut short at the time limit', async () => {
  const shutdown = createShutdown({ logger: silentLogger, timeoutMs: 20 })
  shutdown.phase('hangs', () => new Promise(() => undefined))
  expect(await shutdown.run('test')).toBe(1)
})
