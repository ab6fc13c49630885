import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BatcherRefusal, createBatcher } from './batcher.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

/** A batcher of one statement at a time, and what ends the statements under way. */
function slowBatcher() {
  const answers: (() => void)[] = []
  const batcher = createBatcher<string, string>({
    run: (questions) => new Promise((resolve) => answers.push(() => resolve(questions.map(upperCase)))),
    maxBatch: 10,
    maxInFlight: 1,
    maxWaiting: 10,
    answerTimeoutMs: 1_000,
  })
  return { batcher, answers }
}
const upperCase = (question: string): string => question.toUpperCase()
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a question without an answer in time is refused at its limit, in hand or waiting, and a younger one at its own', async () => {
  const { batcher } = slowBatcher()
  const refusals: string[] = []
  const ask = (question: string) =>
    batcher.ask(question).catch((error: unknown) => refusals.push(`${question}: ${String(error)}`))
  void ask('in hand')
  await turn()
  void ask('waiting')
  vi.advanceTimersByTime(600)
  void ask('younger')
  vi.advanceTimersByTime(399)
  await turn()
  expect(refusals).toEqual([])
  vi.advanceTimersByTime(2)
  await turn()
  const said = String(new BatcherRefusal('No answer in time'))
  expect(refusals).toEqual([`in hand: ${said}`, `waiting: ${said}`])
  vi.advanceTimersByTime(600)
  await turn()
  expect(refusals).toContain(`younger: ${said}`)
})

test('one timer watches all questions, and none runs on when they are answered', async () => {
  const { batcher, answers } = slowBatcher()
  expect(vi.getTimerCount()).toBe(0)
  const asked = [batcher.ask('a'), batcher.ask('b')]
  expect(vi.getTimerCount()).toBe(1)
  await turn()
  answers[0]!()
  expect(await Promise.all(asked)).toEqual(['A', 'B'])
  vi.advanceTimersByTime(1_001)
  expect(vi.getTimerCount()).toBe(0)
  await batcher.close()
})
