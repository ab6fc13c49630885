/** The tables of attacks in docs/security.md name attacks that are made, have one for each subject, and say what is not made on every target. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attacks, places, whyNotAt, type PlaceName, type TargetKind } from '../src/attacks/index.js'

/** What attackers tried. */
const SUBJECTS = 17
const TARGETS: readonly TargetKind[] = [
  ...([null, 'nginx', 'haproxy', 'caddy'] as const).map((proxy) => ({ log: 'embedded', proxy }) as const),
  { log: 'kafka', proxy: null },
]

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8')
const [, section, exceptions] = /\n## Attacks\n([^]*?)\n### Attacks of some targets\n([^]*?)\n## /.exec(page)!

/** The cells of the table, without its head. */
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
const namesIn = (cell: string): string[] => [...cell.matchAll(/“([^”]+)”/g)].map(([, name]) => name!)
const rows = rowsOf(section!).map(([subject, shown]) => ({
  ...{ subject: subject!, isTest: shown!.includes('.test.'), named: namesIn(shown!) },
}))

test('each subject has an attack or a test', () => {
  expect(new Set(rows.map(({ subject }) => subject)).size).toBe(SUBJECTS)
  expect(rows.filter(({ named }) => named.length === 0)).toEqual([])
})

test('each attack of the table is made, under that name', () => {
  const names = attacks.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(
    rows.flatMap(({ isTest, named }) => (isTest ? [] : named.filter((name) => !names.includes(name)))),
  ).toEqual([])
})

test('each attack that some target leaves out is in the table of exceptions, with the reason and no other one', () => {
  const listed = rowsOf(exceptions!).map(([reason, names]) => [reason!, namesIn(names!)] as const)
  const left = (Object.keys(places) as PlaceName[]).map(
    (name) =>
      [places[name].reason, attacks.flatMap((one) => (one.place === name ? [one.name] : []))] as const,
  )
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(left))
})

test('each attack is made on some target, and what has no place on all of them', () => {
  for (const { name, place } of attacks) {
    const made = TARGETS.filter((kind) => whyNotAt(place, kind) === null)
    expect(made.length, name).toBeGreaterThan(0)
    if (place === undefined) expect(made).toEqual(TARGETS)
  }
})
