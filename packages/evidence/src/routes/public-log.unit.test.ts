import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import type { Answer, Call } from '@cupel/gate/http'
import { getLogTile } from './get-log-tile.js'
import { MAX_PUBLIC_READS, MAX_WAITING_READS, openToEverybody } from './public-log.js'

const call: Call = { requestId: 'r', headers: {}, receivedMs: 0, trace: undefined }
const inputs = { path: { tile: '0/000.p/1' }, query: undefined, body: undefined }

test('callers without a key read few tiles at once, after screens, and no more of them wait than may', async () => {
  let [steps, reading] = [0, 0]
  const ends: (() => void)[] = []
  const read = async () => {
    reading += 1
    await new Promise<void>((resolve) => ends.push(resolve))
    reading -= 1
    return Buffer.from('tile')
  }
  const quietMoment = (): undefined => void (steps += 1)
  const [endpoint] = openToEverybody([getLogTile(read)], { quietMoment })
  const ask = (): Promise<unknown> =>
    (endpoint!.handle as (...given: unknown[]) => Promise<unknown>)(call, inputs)
  const asked = Array.from({ length: MAX_PUBLIC_READS + MAX_WAITING_READS }, ask)
  expect(await ask()).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
  await until(() => expect(reading).toBe(MAX_PUBLIC_READS))
  for (let left = asked.length; left > 0; left -= 1) {
    await until(() => expect(ends.length).toBeGreaterThan(0))
    expect(reading).toBeLessThanOrEqual(MAX_PUBLIC_READS)
    ends.shift()!()
  }
  const answers = (await Promise.all(asked)) as Answer[]
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(steps).toBe(asked.length)
  // A cache in front may keep what nobody needs a key for.
  expect(answers[0]!.headers!['cache-control']).toMatch(/^public, .*immutable$/)
})
