import { afterEach, expect, test, vi } from 'vitest'
import { listenForStop, StoppedEarly, type StopRequest } from './stop-request.js'

let stop: StopRequest | undefined
afterEach(() => stop?.dispose())

function listen(onForced: () => void): { clock: { now: number } } {
  const clock = { now: 0 }
  stop = listenForStop(() => clock.now)
  stop.onForced(onForced)
  return { clock }
}

test('the first signal asks for an orderly end and ends a start that is under way', async () => {
  listen(() => undefined)
  expect(() => stop!.check()).not.toThrow()

  process.emit('SIGINT', 'SIGINT')

  expect(await stop!.requested).toBe('SIGINT')
  expect(() => stop!.check()).toThrow(StoppedEarly)
})

test('the copy of a Ctrl-C that npm passes on forces nothing; a second Ctrl-C does', () => {
  const forced = vi.fn()
  const { clock } = listen(forced)

  process.emit('SIGINT', 'SIGINT')
  clock.now = 20
  process.emit('SIGINT', 'SIGINT')
  expect(forced).not.toHaveBeenCalled()

  clock.now = 1_500
  process.emit('SIGINT', 'SIGINT')
  expect(forced).toHaveBeenCalledOnce()
})

test('afterwards signals have their default effect again', () => {
  const before = process.listenerCount('SIGTERM')
  listen(() => undefined)
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)

  stop!.dispose()

  expect(process.listenerCount('SIGTERM')).toBe(before)
})
