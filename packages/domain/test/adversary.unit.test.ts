/** No false green, whatever an adversary hides: the product measures and decides over worlds whose truth is known. */
import type { Report } from '@cupel/contracts'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hidings } from './adversary-hidings.js'
import { drawnWorld, worldDraws, type View } from './adversary-world.js'
import { attack, judgedView } from './adversary.js'
import { fewestShown } from './variety.js'

const WORLDS = { name: 'adversary', full: 200_000, minimum: 3_000, demanded: 200_000 }

test(
  'whatever is hidden, nothing proven is lost, and nothing is green with a sign of what is missing',
  { timeout: 1_800_000 },
  async () => {
    const { property, seen } = attack()
    const { cases } = await assertWithin(WORLDS, property)
    const of = (word: string): number => seen.get(word) ?? 0
    process.stdout.write(`adversary: ${of('green for want of any sign')} greens for want of any sign\n`)
    for (const level of ['green', 'grey', 'orange', 'red']) {
      expect(of(`truth is ${level}`), level).toBeGreaterThan(fewestShown(cases, 250))
      expect(of(`left is ${level}`), level).toBeGreaterThan(fewestShown(cases, 250))
    }
    for (const name of Object.keys(hidings)) expect(of(name), name).toBeGreaterThan(fewestShown(cases, 250))
  },
)

test('the order in which transfers were read changes no byte of a report', { timeout: 600_000 }, async () => {
  const property = fc.property(worldDraws, fc.nat(), ([moves, labels, rest], drawn) => {
    const world = drawnWorld(moves, labels, rest)
    const turn = drawn % Math.max(1, world.transfers.length)
    const transfers = [...world.transfers.slice(turn), ...world.transfers.slice(0, turn)].reverse()
    expect(JSON.stringify(judgedView({ ...world, transfers }))).toBe(JSON.stringify(judgedView(world)))
  })
  await assertWithin({ name: 'order of reading', full: 20_000, minimum: 300 }, property)
})

const RANKS = ['green', 'grey', 'orange', 'red']

/** Sums know no transactions, so beyond the largest transfers a call that tells a payment again counts like another one. */
test(
  'calls that tell payments again among what is added up lower neither score nor level, and leave nothing green',
  { timeout: 600_000 },
  async () => {
    let added = 0
    const property = fc.property(worldDraws, fc.nat(3), ([moves, labels, rest], largest) => {
      const world = drawnWorld(moves, labels, rest)
      const again = world.transfers
        .filter(({ kind }) => kind === 'native')
        .map((one) => ({ ...one, id: one.id.replace(/^../, 'ca'), kind: 'internal' as const }))
      const readOf = (transfers: View['transfers'], limit: number): Report =>
        judgedView({ ...world, transfers, reading: { transfers: limit, hubCounterparties: 1_000 } })
      // The same payments are read one by one.
      const once = readOf(world.transfers, largest)
      const twice = readOf([...world.transfers, ...again], 2 * largest)
      if (!once.coverage.exposure.truncated || !twice.coverage.exposure.truncated) return
      if (totalsOf(once) !== totalsOf(twice)) added += 1
      expect(twice.risk.score).toBeGreaterThanOrEqual(once.risk.score)
      expect(RANKS.indexOf(twice.risk.level)).toBeGreaterThanOrEqual(RANKS.indexOf(once.risk.level))
      if (twice.risk.categories.clean_exchange < 80) expect(twice.risk.level).not.toBe('green')
    })
    const { cases } = await assertWithin(
      { name: 'payments told again', full: 20_000, minimum: 500 },
      property,
    )
    expect(added).toBeGreaterThan(fewestShown(cases, 10))
  },
)

const totalsOf = ({ exposure }: Report): string => JSON.stringify(exposure.map(({ total }) => total))
