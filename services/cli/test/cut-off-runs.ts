/** Tests of interrupted recomputations, on the five reports of another test file's installation: a separate one would cost much. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  CannotResumeError,
  createRangeDecider,
  recomputeReports,
  type RangeDecider,
  type RecomputeState,
} from '@cupel/evidence/proofs'
import { describe, expect, test } from 'vitest'
import type { Decided } from './decided.js'

export function describeCutOffRuns(decided: () => Decided): void {
  describe('a run that is cut off', () => {
    const question = () => {
      const { log, codec, database } = decided()
      return { log, codec, database, levels: ['A', 'B'] as const, maxFindings: 10 }
    }

    test('after any partition is gone on with there: the same answer, and nothing is read twice', async () => {
      const whole = await recomputeReports(question())
      const states: RecomputeState[] = []
      await recomputeReports({
        ...question(),
        onRange: async (state) => void states.push(JSON.parse(JSON.stringify(state)) as RecomputeState),
      })
      const withReports = states.filter(
        ({ done }, index) => index === 0 || index === states.length - 1 || done.at(-1)!.reports > 0,
      )
      expect(withReports.length).toBeGreaterThan(2)
      for (const state of withReports) {
        const done = state.done.reduce((sum, { reports }) => sum + reports, 0)
        const totals = new Set<number>()
        const resumed = await recomputeReports({
          ...question(),
          resume: state,
          onProgress: ({ total }) => void totals.add(total),
        })
        expect(resumed).toEqual({ ...whole, resumedReports: done })
        const left = state.ranges.slice(state.done.length).reduce((sum, { from, to }) => sum + to - from, 0)
        expect(totals).toEqual(new Set(left === 0 ? [] : [left]))
      }
    })

    test('has the same answer and the same states, however many partitions are decided at once and in whatever order they end', async () => {
      const statesOf = async (count: number) => {
        const states: RecomputeState[] = []
        // The first partition of each turn ends last.
        let waiting: (() => void)[] = []
        const decider = (): RangeDecider => {
          const own = createRangeDecider(question(), question())
          return {
            async decide(range, onRecords) {
              const tally = await own.decide(range, onRecords)
              await new Promise<void>((resolve) => {
                waiting.unshift(resolve)
                setImmediate(() => waiting.shift()?.())
              })
              return tally
            },
          }
        }
        const answer = await recomputeReports({
          ...question(),
          decidersFor: () => Array.from({ length: count }, decider),
          onRange: async (state) => void states.push(structuredClone(state) as RecomputeState),
        })
        waiting = []
        return { answer, states }
      }
      const alone = await statesOf(1)
      expect(alone.answer).toEqual(await recomputeReports(question()))
      for (const count of [2, 5]) {
        const together = await statesOf(count)
        expect(together.answer).toEqual(alone.answer)
        // Ranges that end out of turn wait for earlier ones. So there may be fewer states, but no different ones.
        for (const state of together.states) expect(alone.states).toContainEqual(state)
        expect(together.states.at(-1)).toEqual(alone.states.at(-1))
      }
    })

    test('is not gone on with where the log lost what was to be decided', async () => {
      let first: RecomputeState | undefined
      const stop = new Error('cut off')
      const onRange = (state: RecomputeState) => {
        first = state
        return Promise.reject(stop)
      }
      await expect(recomputeReports({ ...question(), onRange })).rejects.toBe(stop)
      const ranges = first!.ranges.map((range) => ({ ...range, to: range.to + 1 }))
      await expect(recomputeReports({ ...question(), resume: { ranges, done: [] } })).rejects.toThrow(
        CannotResumeError,
      )
    })

    test('leaves its state in a file, and one that comes to its end removes it', async () => {
      const file = join(decided().folder, 'recompute.state')
      const withState = ['audit', 'recompute', '--state', file] as const
      const rename = (from: string, to: string) =>
        decided().database.execute(`ALTER TABLE label_view.${from} RENAME TO ${to}`)
      await rename('label', 'label_away')
      try {
        expect((await decided().cupel(...withState)).error).not.toBeNull()
        expect(existsSync(file)).toBe(true)
        // The results for this question do not answer another one.
        const other = await decided().cupel(...withState, '--level', 'A')
        expect(other.error).toMatchObject({
          exitCode: 1,
          message: expect.stringContaining('other') as string,
        })
      } finally {
        await rename('label_away', 'label')
      }
      const measured = { reports: 5, cpu_seconds: expect.any(Number) as number }
      expect(await decided().json<object>(...withState)).toMatchObject({
        reports: 5,
        is_proven: true,
        measured,
      })
      expect(existsSync(file)).toBe(false)
    })
  })
}
