import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { debugOnSignal, type DebugOnSignal } from './debug-on-signal.js'
import { createLogger, type ServiceLogger } from './logger.js'

const DURATION_MS = 900_000
let folder: string
let logger: ServiceLogger
let installed: DebugOnSignal
/** The handler that the process would call. */
let signal: () => void

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-debug-'))
  logger = createLogger({ service: 'test', level: 'error', file: join(folder, 'log') })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const before = process.listeners('SIGUSR2')
  installed = debugOnSignal(logger, DURATION_MS)
  signal = process.listeners('SIGUSR2').find((one) => !before.includes(one)) as () => void
})
afterEach(() => {
  installed.dispose()
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

function say(text: string): void {
  logger.debug({}, text)
}
async function written(last: string): Promise<string[]> {
  vi.useRealTimers()
  logger.error({}, last)
  return await until(() => {
    const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
    expect(messages.at(-1)).toBe(last)
    return messages.slice(0, -1)
  })
}

test('a signal begins debug lines, and a second one ends them', async () => {
  say('before')
  signal()
  say('meanwhile')
  signal()
  say('after')
  expect(await written('end')).toEqual([
    'The log has debug lines now, as a signal asked',
    'meanwhile',
    'The level of the log is as usual again: a second signal',
  ])
})

test('debug lines end by themselves', async () => {
  signal()
  vi.advanceTimersByTime(DURATION_MS - 1)
  say('still')
  vi.advanceTimersByTime(1)
  say('after')
  expect(await written('end')).toEqual([
    'The log has debug lines now, as a signal asked',
    'still',
    'The level of the log is as usual again: the time is over',
  ])
})

test('a third signal begins them again for the whole time', async () => {
  signal()
  vi.advanceTimersByTime(DURATION_MS - 1)
  signal()
  signal()
  vi.advanceTimersByTime(DURATION_MS - 1)
  say('still')
  expect(await written('end')).toContain('still')
})
