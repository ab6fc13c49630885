/** The current scorer is a self-contained folder; a released one is one built file that never changes. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CURRENT_SCORER_VERSION, scorers } from '../src/index.js'

const folder = fileURLToPath(new URL('../src/scorer/', import.meta.url))
const { current, versions } = JSON.parse(
  readFileSync(new URL('../scorers.json', import.meta.url), 'utf8'),
) as { current: string; versions: Record<string, { released: boolean; sha256?: string }> }

/** The sorted paths of the current sources except tests, with `/` between names. */
const home = join(folder, current)
const files = readdirSync(home, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.unit.test.ts'))
  .map((entry) => relative(home, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .sort()
const released = Object.entries(versions).filter(([, entry]) => entry.released)

/** A statement that imports a module: static, only for its side effect, or dynamic. */
const IMPORT =
  /^(?:import|export) (?:type )?(?:\*|\{[^}]*\}|\w+)[^'{]*(?:\{[^}]*\})? ?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

test('the table, the files and the module name the same versions', () => {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).filter((name) => name !== 'released')).toEqual([current])
  const built = existsSync(join(folder, 'released')) ? readdirSync(join(folder, 'released')) : []
  expect(built.sort()).toEqual(released.flatMap(([version]) => [`${version}.d.ts`, `${version}.js`]).sort())
  expect(Object.keys(scorers)).toEqual(Object.keys(versions))
  expect(CURRENT_SCORER_VERSION).toBe(current)
  for (const [version, scorer] of Object.entries(scorers)) expect(scorer.SCORER_VERSION).toBe(version)
})

test.each(released)(
  'the built file of the released scorer %s has the pinned digest',
  (version, { sha256 }) => {
    const content = readFileSync(join(folder, 'released', `${version}.js`))
    const advice =
      'It is released: restore it, and make the change in the next version (npm run scorer:next).'
    expect(createHash('sha256').update(content).digest('hex'), advice).toBe(sha256)
  },
)

test('the current scorer imports its own folder, types of the contracts, and @noble/hashes', () => {
  const foreign = files.flatMap((path) => {
    const text = readFileSync(join(home, path), 'utf8')
    return [...text.matchAll(IMPORT)]
      .filter(([statement, ...names]) => {
        const target = names.join('')
        if (target.startsWith('.')) return !resolve(home, path, '..', target).startsWith(home + sep)
        if (target === '@cupel/contracts') return !statement.startsWith('import type')
        return !target.startsWith('@noble/hashes/')
      })
      .map(([statement]) => `${path}: ${statement}`)
  })
  expect(foreign).toEqual([])
})
