/** Less knowledge never looks better: whatever is lost of a world on its way to the scorer, nothing becomes green and nothing proven is lost silently. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '@cupel/contracts'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { ledgerFormatNames } from '../src/formats/formats.js'
import { drawnFiles, filesAs, layoutsOf, textOf } from './losses/files.js'
import { additions, losses, rewritings, type Knowledge } from './losses/losses.js'
import { freshSets, screened, type Screened } from './losses/screened.js'
import { chooser, drawnWorld, unlisted, type World } from './losses/world.js'

const PAIRS = { name: 'losses', full: 20_000, minimum: 300, demanded: 20_000 }

const folder = mkdtempSync(join(tmpdir(), 'cupel-losses-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Pair {
  readonly world: World
  readonly lost: readonly string[]
  readonly before: Screened
  readonly after: Screened
  readonly known: Knowledge
}

async function drawnPair(drawn: number, layout: number, draws: readonly number[]): Promise<Pair> {
  const world = drawnWorld(drawn)
  const whole: Knowledge = {
    ...{
      files: drawnFiles(world, chooser(layout)),
      ledger: 'examined',
      node: layout % 3 === 0 ? 'none' : 'honest',
    },
    ...{ labelSets: freshSets, labelView: 'current' },
  }
  const lost: string[] = []
  const known = draws.reduce((left: Knowledge, one): Knowledge => {
    const choose = chooser(one)
    const name = choose(Object.keys(losses))
    const next = losses[name]!(left, choose, world)
    if (next !== null) lost.push(name)
    return next ?? left
  }, whole)
  // Who sees that a file is damaged imports the whole one after it.
  const again = layout % 5 === 2 ? whole.files.map((file) => ({ ...file, name: `${file.name} whole` })) : []
  if (again.length > 0) lost.push('tells the whole files afterwards')
  const before = await screened(world, whole, folder)
  const told = { ...known, files: [...known.files, ...again] }
  return { world, lost, known: told, before, after: await screened(world, told, folder) }
}

const told = ({ world, lost, known, before, after }: Pair): string =>
  [
    `${world.chain}: ${world.stains.join(' and ') || 'no stain'}; lost: ${lost.join('; ')}`,
    ...known.files.flatMap((file) => [
      `--- ${file.name} as ${file.format}, covers ${String(file.covers)}`,
      textOf(file),
    ]),
    ...after.refused,
    JSON.stringify(before.report.risk),
    JSON.stringify({ ...after.report.risk, exposure: after.report.coverage.exposure }),
  ].join('\n')

/** Nothing is known of the address on the ledger, and the report says so. */
const isUnknown = ({ coverage: { exposure } }: Report): boolean =>
  exposure.status === 'unavailable' &&
  exposure.reason === 'no_transfers' &&
  exposure.incomplete.every((reason) => !reason.endsWith('_mismatch'))

/** However often a movement is told, it counts once. */
const isRetelling = (name: string): boolean =>
  Object.hasOwn(rewritings, name) || name.startsWith('tells every movement')

const totalsOf = ({ exposure }: Report): string =>
  JSON.stringify(exposure.map(({ direction, asset, total }) => `${direction} ${asset} ${total}`).toSorted())

/** What a world moves to and from the wallet: coins, tokens, mints, and tokens that no table knows, which have no decimals. */
function movedIn({ moves }: World): string {
  const own = moves.filter(({ succeeded, from, to }) => succeeded && [from, to].includes('wallet'))
  const totals = new Map<string, { readonly amount: bigint; readonly decimals: number }>()
  for (const { asset, to, amount } of own) {
    const [name, decimals] =
      asset === unlisted ? [asset.contract, 0] : [asset.symbol.replace('USDT', 'USD'), asset.decimals]
    const place = `${to === 'wallet' ? 'incoming' : 'outgoing'} ${name}`
    totals.set(place, { amount: (totals.get(place)?.amount ?? 0n) + amount, decimals })
  }
  return JSON.stringify(
    [...totals]
      .map(([place, { amount, decimals }]) => `${place} ${Number(amount) / 10 ** decimals}`)
      .toSorted(),
  )
}

const reported = ({ exposure }: Report): string =>
  JSON.stringify(
    exposure
      .map(({ direction, asset, total }) => `${direction} ${asset} ${Number(total.split(' ')[0])}`)
      .toSorted(),
  )

type Item = Report['risk']['evidence'][number]

/** Without its list a designation has the confidence of its label; the level stays, and the score is a lower bound. */
const isKept = (item: Item, { risk }: Report, lost: readonly string[]): boolean =>
  risk.evidence.some(
    (one) =>
      one.relation === 'ownership' &&
      one.category === item.category &&
      one.used === item.used &&
      (one.contribution >= item.contribution ||
        (lost.some((name) => name.endsWith('the list')) &&
          risk.level === 'red' &&
          risk.score_is_lower_bound)),
  )

function expectNoGain(pair: Pair): void {
  const { world, lost, before, after } = pair
  const [whole, left] = [before.report.risk, after.report.risk]
  const fail = (why: string): never => expect.fail(`${why}\n${told(pair)}`)
  if (before.refused.length > 0) fail(`refused ${before.refused.join()} of a whole world`)
  if (world.stains.length > 0 && [whole.level, left.level].includes('green')) fail('a stain is green')
  if (reported(before.report) !== movedIn(world)) fail(`the totals are not ${movedIn(world)}`)
  if (whole.level !== 'green' && left.level === 'green') fail(`${whole.level} became green`)
  const isDiluted = lost.some((name) => Object.hasOwn(additions, name))
  if (left.score < whole.score && !isDiluted && !left.score_is_lower_bound && !isUnknown(after.report))
    fail('a lower score is not called a lower bound')
  for (const item of whole.evidence)
    if (item.relation === 'ownership' && !isKept(item, after.report, lost))
      fail(`the evidence of ownership for ${item.category} is lost`)
  if (lost.length > 0 && lost.every(isRetelling) && totalsOf(before.report) !== totalsOf(after.report))
    fail('what is told in two formats counts twice')
  if (lost.length > 0 && lost.every((name) => Object.hasOwn(rewritings, name)))
    if (left.level !== whole.level || left.score !== whole.score)
      fail('another spelling of the same facts changed the level')
}

test('every ledger format is among the files that losses hit', () => {
  const empty = { moves: [], labels: new Map(), stains: [] }
  const written = (['ETH', 'BTC'] as const).flatMap((chain) =>
    layoutsOf[chain].flatMap((layout) => filesAs({ ...empty, chain }, layout)),
  )
  expect([...new Set(written.map(({ format }) => format))].toSorted()).toEqual(ledgerFormatNames.toSorted())
})

test('a payment counts from the file that has its receiver, whatever a damaged file told before', async () => {
  const drawn = Array.from({ length: 200 }, (_, at) => drawnWorld(at * 7_919))
  const worlds = drawn.filter(
    ({ chain, stains }) => chain === 'ETH' && stains.join() === 'paid by a designated address',
  )
  expect(worlds.length).toBeGreaterThan(2)
  for (const world of worlds) {
    const whole = filesAs(world, 'csv')
    const [transfers] = whole
    const receiver = transfers!.columns.indexOf('to_address')
    const rows = transfers!.rows.map((row) => row.with(receiver, ''))
    const known: Knowledge = {
      files: [{ ...transfers!, name: 'damaged', covers: null, rows }, ...whole],
      ...{ ledger: 'examined', node: 'none', labelSets: freshSets, labelView: 'current' },
    }
    const { report, refused } = await screened(world, known, folder)
    expect([refused, report.risk.evidence.map(({ category }) => category)]).toEqual([[], ['sanctions']])
  }
})

test('nothing that is lost makes an address look better', { timeout: 1_800_000 }, async () => {
  const seen = new Map<string, number>()
  const count = (word: string): void => void seen.set(word, (seen.get(word) ?? 0) + 1)
  const number = fc.noBias(fc.nat(2 ** 31 - 1))
  const { cases } = await assertWithin(
    PAIRS,
    fc.asyncProperty(
      number,
      number,
      fc.array(number, { minLength: 1, maxLength: 2 }),
      async (drawn, layout, draws) => {
        const pair = await drawnPair(drawn, layout, draws)
        expectNoGain(pair)
        pair.lost.forEach(count)
        pair.world.stains.forEach(count)
        count(`truth is ${pair.before.report.risk.level}`)
      },
    ),
  )
  for (const level of ['green', 'grey', 'orange', 'red'])
    expect(seen.get(`truth is ${level}`) ?? 0, level).toBeGreaterThan(fewestOf(cases / 10))
  // Some losses fit few formats: only lines of JSON can name a member twice.
  for (const name of Object.keys(losses))
    expect(seen.get(name) ?? 0, name).toBeGreaterThan(fewestOf(cases / 400))
})

/** Chance puts a count four standard deviations below its share once in tens of thousands of runs. */
const fewestOf = (share: number): number => share - 4 * Math.sqrt(share)
