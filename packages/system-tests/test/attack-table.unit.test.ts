/** The table of attacks in docs/security.md names attacks that are made, and has one for each subject. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attacks } from '../src/attacks/index.js'

/** What attackers tried. */
const SUBJECTS = 17

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8')
const [, section] = /\n## Attacks\n([^]*?)\n## /.exec(page)!
const rows = section!
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => {
    const [, subject, shown] = line.split('|').map((cell) => cell.trim())
    const isTest = shown!.includes('.test.')
    return { subject: subject!, isTest, named: [...shown!.matchAll(/“([^”]+)”/g)].map(([, name]) => name!) }
  })

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
