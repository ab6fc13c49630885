/** An adversary tells clean payments again in other formats: they count once, so what else came in does not become a smaller part of the whole. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { drawnFiles, filesAs, layoutsOf, textOf, type WorldFile } from './losses/files.js'
import type { Knowledge } from './losses/losses.js'
import { freshSets, screened } from './losses/screened.js'
import { chooser, drawnWorld, type Choose, type World } from './losses/world.js'

const WORLDS = { name: "adversary's other formats", full: 25_000, minimum: 100, demanded: 25_000 }

const folder = mkdtempSync(join(tmpdir(), 'cupel-formats-'))
afterAll(() => rmSync(folder, { recursive: true }))

const PLACES = ['block_number', 'log_index', 'transaction_index', 'block_time'] as const

/** What an export of a table leaves out. */
function without(columns: readonly string[], file: WorldFile): WorldFile {
  const rows = file.rows.map((row) =>
    row.map((field, at) => (columns.includes(file.columns[at]!) ? '' : field)),
  )
  return { ...file, rows }
}

/** The exchanges' payments in up to three more files without a range, some of them without their places. */
function retold(world: World, choose: Choose): readonly WorldFile[] {
  const moves = world.moves.filter(({ from, to }) => from.includes('exchange') && to === 'wallet')
  return Array.from({ length: choose([1, 2, 3]) }, (_, at) => {
    const layout = choose(layoutsOf[world.chain])
    const files = filesAs({ ...world, moves }, layout)
    const columns = choose([[], ['log_index', 'transaction_index'], PLACES])
    return files.map((file): WorldFile => ({
      ...(layout === 'csv' ? without(columns, file) : file),
      ...{ name: `${file.name} again ${at}`, covers: null },
    }))
  }).flat()
}

test(
  'no clean payment that is told again in other formats makes a wallet look better',
  { timeout: 1_800_000 },
  async () => {
    const number = fc.noBias(fc.nat(2 ** 31 - 1))
    let stained = 0
    const property = fc.asyncProperty(number, number, number, async (drawn, layout, more) => {
      const world = drawnWorld(drawn)
      const files = drawnFiles(world, chooser(layout))
      const known: Knowledge = {
        ...{ files, ledger: 'examined', node: 'none' },
        ...{ labelSets: freshSets, labelView: 'current' },
      }
      const choose = chooser(more)
      const again = retold(world, choose)
      const all = choose([true, false]) ? [...files, ...again] : [...again, ...files]
      const { risk } = (await screened(world, { ...known, files: all }, folder)).report
      const { risk: before } = (await screened(world, known, folder)).report
      const told = (): string =>
        [
          world.stains.join(' and '),
          ...all.map((file) => `${file.name} as ${file.format}\n${textOf(file)}`),
        ].join('\n')
      if (before.level !== 'green') stained += 1
      if (before.level !== 'green' && risk.level === 'green')
        expect.fail(`${before.level} became green\n${told()}\n${JSON.stringify(risk)}`)
      if (risk.score < before.score && !risk.score_is_lower_bound)
        expect.fail(`${before.score} became ${risk.score}\n${told()}\n${JSON.stringify(risk)}`)
    })
    const { cases } = await assertWithin(WORLDS, property)
    process.stdout.write(`${WORLDS.name}: told again in ${stained} worlds that were not green before\n`)
    expect(stained).toBeGreaterThan(cases / 2)
  },
)
