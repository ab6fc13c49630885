/** No move on the chain hides designated money: a wallet that was green is not green with it. */
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanWorld, moves } from './adversary-moves.js'
import { statedView } from './adversary-proofs.js'
import { judgedView } from './adversary.js'
import { chooser } from './chooser.js'
import { fewestShown } from './variety.js'

const WORLDS = { name: "adversary's moves", full: 200_000, minimum: 600, demanded: 200_000 }
/** Every level but green. */
const NOT_GREEN = ['grey', 'orange', 'red']
const number = fc.noBias(fc.nat(2 ** 31 - 1))

test(
  'designated money makes a clean wallet not green, by whatever move it comes',
  { timeout: 1_800_000 },
  async () => {
    const seen = new Map<string, number>()
    const property = fc.property(number, fc.array(number, { minLength: 1, maxLength: 2 }), (drawn, draws) => {
      const clean = cleanWorld(drawn)
      const before = judgedView(clean).risk
      if (before.level !== 'green')
        expect.fail(
          `${before.level} without any move: ${JSON.stringify(before.level_reasons)}\n${statedView(clean)}`,
        )
      const fitting = Object.keys(moves).filter((name) => moves[name]!.on.includes(clean.chain))
      const played: string[] = []
      const world = draws.reduce((left, one) => {
        const choose = chooser(one)
        const name = choose(fitting)
        played.push(name)
        return moves[name]!.play(left, choose)
      }, clean)
      const { risk } = judgedView(world)
      const allowed = played.some((name) => moves[name]!.least === 'orange') ? ['orange', 'red'] : NOT_GREEN
      if (!allowed.includes(risk.level))
        expect.fail(
          `${risk.level}, although it ${played.join(' and ')}\n${statedView(world)}\n${JSON.stringify(risk)}`,
        )
      for (const name of played) seen.set(name, (seen.get(name) ?? 0) + 1)
    })
    const { cases } = await assertWithin(WORLDS, property)
    // A move counts once for each world in which it was played, after the world without it was green.
    for (const [name, count] of seen) process.stdout.write(`adversary's moves: ${name}: ${count}\n`)
    for (const name of Object.keys(moves))
      expect(seen.get(name) ?? 0, name).toBeGreaterThan(fewestShown(cases, 40))
  },
)
