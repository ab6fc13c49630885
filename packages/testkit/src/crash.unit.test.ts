import { failpoint } from '@cupel/kit/failpoints'
import { describe, expect, test } from 'vitest'
import { CrashError, crashAt } from './crash.js'

/** Visits both sides of the point `times` times and notes what it reached. */
async function visits(times: number, reached: string[]): Promise<void> {
  for (let visit = 1; visit <= times; visit += 1) {
    failpoint('before', 'test')
    reached.push(`work ${visit}`)
    await Promise.resolve()
    failpoint('after', 'test')
  }
}

test.each([
  ['before:test:1', []],
  ['after:test:1', ['work 1']],
  ['before:test:2', ['work 1']],
  ['after:test:2', ['work 1', 'work 2']],
  ['any:1', []],
  ['any:4', ['work 1', 'work 2']],
] as const)('work ends at %s', async (point, expected) => {
  const reached: string[] = []
  await crashAt(point, () => visits(3, reached))
  expect(reached).toEqual(expected)
})

test('a life that has ended reaches no further point, whatever it catches', async () => {
  let later: unknown
  await crashAt('before:test:1', async () => {
    await visits(1, []).catch(() => undefined)
    try {
      failpoint('before', 'log.genesis')
    } catch (error) {
      later = error
    }
  })
  expect(later).toBeInstanceOf(CrashError)
})

test('code outside of the life lives on', async () => {
  const reached: string[] = []
  await Promise.all([crashAt('before:test:1', () => visits(2, [])), visits(2, reached)])
  await visits(1, reached)
  expect(reached).toEqual(['work 1', 'work 2', 'work 1'])
})

describe('a crash that does not happen is a failure', () => {
  test('if the work ends before it', async () => {
    await expect(crashAt('before:test:4', () => visits(3, []))).rejects.toThrow('ended before before:test:4')
  })

  test('if the work fails before it', async () => {
    const failing = async (): Promise<void> => {
      await Promise.resolve()
      throw new Error('something else')
    }
    await expect(crashAt('before:test:1', failing)).rejects.toThrow('something else')
  })

  test('if no such point exists', async () => {
    await expect(crashAt('before:tset:1', () => visits(3, []))).rejects.toThrow('no point before:tset:1')
  })
})
