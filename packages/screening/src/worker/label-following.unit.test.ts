import { describe, expect, test } from 'vitest'
import { judgeFollowing, notYetFollowing, observe, type Following } from './label-following.js'

const limits = { staleAfterMs: 30_000, refuseAfterMs: 600_000 }
const second = (n: number): number => n * 1_000

/** Applies the looks [seconds, end of the topic, position of the view] one after the other. */
function after(...looks: readonly (readonly [number, number, number | null])[]): Following {
  return looks.reduce(
    (following, [at, endOffset, viewNext]) =>
      observe(following, { at: second(at), endOffset, viewNext, inputFault: null }),
    notYetFollowing,
  )
}

describe('at the start', () => {
  test('nothing is screened before the view has reached the end seen first', () => {
    expect(judgeFollowing(after([0, 100, 40]), second(0), limits)).toEqual({
      kind: 'starting',
      reason: 'The label view is 60 records behind the label topic.',
    })
    expect(judgeFollowing(after([0, 100, 40], [1, 100, 100]), second(1), limits).kind).toBe('current')
  })

  test('an end that moves on does not keep a view away that has reached the first one', () => {
    expect(judgeFollowing(after([0, 100, 40], [1, 500, 100]), second(1), limits).kind).toBe('current')
  })

  test('without a view there is no start', () => {
    expect(judgeFollowing(after([0, 0, null]), second(0), limits).kind).toBe('starting')
  })

  test('an empty topic and an empty view are current', () => {
    expect(judgeFollowing(after([0, 0, 0]), second(0), limits)).toEqual({ kind: 'current', lagMs: 0 })
  })
})

describe('later', () => {
  test('a view that reaches an older end is as late as that end is old', () => {
    const following = after([0, 10, 10], [10, 20, 10], [11, 30, 10], [45, 30, 20])
    expect(judgeFollowing(following, second(45), limits)).toEqual({ kind: 'lagging', lagMs: second(35) })
  })

  test('a view that has all but the newest record is as late as that record', () => {
    const following = after([0, 10, 10], [10, 20, 10], [39, 20, 10], [40, 30, 20])
    expect(judgeFollowing(following, second(40), limits)).toEqual({ kind: 'current', lagMs: second(1) })
  })

  test('a quiet topic keeps a view current for ever', () => {
    const following = after([0, 10, 10], [3_600, 10, 10])
    expect(judgeFollowing(following, second(3_600), limits)).toEqual({ kind: 'current', lagMs: 0 })
  })

  test.each([
    [30, 'current'],
    [31, 'lagging'],
    [600, 'lagging'],
    [601, 'refused'],
  ])('a view that stands still for %i s is %s', (seconds, kind) => {
    const looks = Array.from({ length: seconds }, (_, n) => [n + 1, 20, 10] as const)
    expect(judgeFollowing(after([0, 10, 10], ...looks), second(seconds), limits).kind).toBe(kind)
  })

  test('not knowing counts as not following: without a look the view ages', () => {
    expect(judgeFollowing(after([0, 10, 10]), second(31), limits).kind).toBe('lagging')
    expect(judgeFollowing(after([0, 10, 10]), second(601), limits).kind).toBe('refused')
  })

  test('a view that vanished refuses at once', () => {
    expect(judgeFollowing(after([0, 10, 10], [1, 10, null]), second(1), limits).kind).toBe('refused')
  })

  test('a view that catches up is current again', () => {
    const following = after([0, 10, 10], [1, 20, 10], [700, 20, 20])
    expect(judgeFollowing(following, second(700), limits)).toEqual({ kind: 'current', lagMs: 0 })
  })

  test('ends that are never reached do not pile up', () => {
    const looks = Array.from({ length: 5_000 }, (_, n) => [n + 1, 20 + n, 10] as const)
    expect(after([0, 10, 10], ...looks).pending.length).toBeLessThanOrEqual(1_000)
  })
})

test('a topic without its beginning refuses at once, however far the view is, until it is whole again', () => {
  const inputFault = 'screening.label.events.v1/0 begins at offset 3.'
  for (const whole of [notYetFollowing, after([0, 10, 10])]) {
    const cut = observe(whole, { at: second(1), endOffset: 10, viewNext: 10, inputFault })
    expect(judgeFollowing(cut, second(1), limits)).toEqual({
      ...{ kind: 'refused', lagMs: null, reason: inputFault },
    })
    const restored = observe(cut, { at: second(2), endOffset: 10, viewNext: 10, inputFault: null })
    expect(judgeFollowing(restored, second(2), limits).kind).toBe('current')
  }
})
