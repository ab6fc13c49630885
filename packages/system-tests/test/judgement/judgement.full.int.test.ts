/**
 * The judgement on real lists beside the checkout: listed addresses get the oracle's levels, unlisted ones are grey. `npm run bench -- judgement`
 * names a file in CUPEL_JUDGEMENT_TABLE, which gets what was measured.
 */
import { writeFileSync } from 'node:fs'
import { createTestDatabase, fewestCases, sharedDataFolder } from '@cupel/testkit'
import { beforeAll, describe, expect, test } from 'vitest'
import { judgementTable } from './judgement-table.js'
import { isRight, runJudgement, type JudgementResults } from './run-judgement.js'

const sharedData = sharedDataFolder()
/** The files for which the counts below were computed. */
const KNOWN_ROWS = 55_523
const TIMEOUT_MS = 600_000
const TABLE = process.env['CUPEL_JUDGEMENT_TABLE']
/** Each is judged with its chain and without. */
const UNLISTED =
  TABLE === undefined ? fewestCases({ full: 10_000, minimum: 1_000, demanded: 10_000 }) : 10_000

describe.skipIf(sharedData === null)('the judgement on real lists', () => {
  let results: JudgementResults
  beforeAll(async () => {
    const database = await createTestDatabase()
    try {
      const { connectionString } = database
      results = await runJudgement({
        connectionString,
        sharedData: sharedData!,
        unlisted: UNLISTED,
        seed: 20_261_121,
        victims: TABLE === undefined ? 150 : Number.MAX_SAFE_INTEGER,
        say: () => undefined,
      })
      if (TABLE !== undefined) writeFileSync(TABLE, judgementTable(results))
    } finally {
      await database.drop()
    }
  }, TIMEOUT_MS)

  test('gives every listed address the level, points and evidence that the rules give', () => {
    expect(results.mismatches).toEqual([])
    expect(results.mismatchCount).toBe(0)
    expect(results.rows).toBeGreaterThan(50_000)
  })

  test('gives unlisted addresses grey, without points and without evidence', () => {
    expect(results.unlisted).toMatchObject({ addresses: UNLISTED, wrong: [] })
  })

  test('handles every known trap of real lists', () => {
    expect(results.traps.filter(({ isPassed }) => !isPassed)).toEqual([])
    expect(results.traps.length).toBeGreaterThanOrEqual(15)
    expect(isRight(results)).toBe(true)
  })

  test('finds what is listed, in its category, and nothing else', () => {
    for (const { category, precision, recall, listed, false: wrong } of results.categories) {
      expect({ category, precision, wrong }).toEqual({ category, precision: 1, wrong: 0 })
      expect({ category, recall }).toEqual({ category, recall: 1 })
      expect(listed).toBeGreaterThan(100)
    }
  })

  test('on these files, the levels are the computed ones', () => {
    if (results.rows !== KNOWN_ROWS) return
    const levels = Object.fromEntries(results.categories.map((measure) => [measure.category, measure.levels]))
    expect(levels).toMatchObject({
      sanctions: { orange: 0, grey: 0, green: 0 },
      darknet: { orange: 0, grey: 0, green: 0 },
      stolen: { grey: 0, green: 0 },
      scam: { grey: 0, green: 0 },
      clean_exchange: { red: 0, orange: 0 },
    })
  })
})
