import { silentLogger } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import { startLabelWatch, type LabelWatch } from './label-watch.js'

let watch: LabelWatch | undefined
afterEach(() => watch?.stop())

const limits = { staleAfterMs: 30_000, refuseAfterMs: 600_000 }

/** A watch over two ends that the test moves, and a clock that it sets. */
function watched(ends: { endOffset: () => Promise<number>; viewNext: () => Promise<number | null> }) {
  const clock = { at: 0 }
  watch = startLabelWatch({
    ...ends,
    inputFault: () => Promise.resolve(null),
    limits,
    now: () => clock.at,
    logger: silentLogger,
    onLook: () => undefined,
    intervalMs: 1,
  })
  return { watch, clock }
}

test('screening begins once the view has reached the end that was seen first', async () => {
  let viewNext: number | null = null
  const { watch } = watched({
    endOffset: () => Promise.resolve(10),
    viewNext: () => Promise.resolve(viewNext),
  })
  let started = false
  void watch.started().then(() => (started = true))
  await until(() =>
    expect(watch.verdict()).toMatchObject({
      kind: 'starting',
      reason: expect.stringContaining('10 records') as string,
    }),
  )
  expect(started).toBe(false)
  viewNext = 10
  await until(() => expect(started).toBe(true))
  expect(watch.verdict().kind).toBe('current')
})

test('a database that is away ages the view and is told from one that stands still', async () => {
  let fails = false
  const viewNext = (): Promise<number> =>
    fails ? Promise.reject(new Error('no database')) : Promise.resolve(10)
  const { watch, clock } = watched({ endOffset: () => Promise.resolve(10), viewNext })
  await watch.started()
  fails = true
  await until(() => expect(watch.reachable()).toBe(false))
  clock.at = 31_000
  expect(watch.verdict().kind).toBe('lagging')
  clock.at = 601_000
  expect(watch.verdict().kind).toBe('refused')
  fails = false
  await until(() => expect(watch.verdict().kind).toBe('current'))
  expect(watch.reachable()).toBe(true)
})

test('a stop before the start is told to whoever waits for the start', async () => {
  const { watch } = watched({ endOffset: () => Promise.resolve(10), viewNext: () => Promise.resolve(0) })
  const started = watch.started()
  await watch.stop()
  await expect(started).rejects.toThrow('stopped')
})
