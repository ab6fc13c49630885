/** A scorer is a self-contained folder, and a released one never changes (docs/adr/0053). */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CURRENT_SCORER_VERSION, scorers } from '../src/index.js'

const folder = fileURLToPath(new URL('../src/scorer/', import.meta.url))
const { current, versions } = JSON.parse(
  readFileSync(new URL('../scorers.json', import.meta.url), 'utf8'),
) as { current: string; versions: Record<string, { released: boolean; sha256?: string }> }

/** The sorted paths of a version's files except tests, with `/` between names. */
const filesOf = (version: string): string[] =>
  readdirSync(join(folder, version), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.unit.test.ts'))
    .map((entry) => relative(join(folder, version), join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()

/** A statement that imports a module: static, only for its side effect, or dynamic. */
const IMPORT =
  /^(?:import|export) (?:type )?(?:\*|\{[^}]*\}|\w+)[^'{]*(?:\{[^}]*\})? ?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

test('the table, the folders and the module name the same versions', () => {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(versions).sort())
  expect(Object.keys(scorers)).toEqual(Object.keys(versions))
  expect(CURRENT_SCORER_VERSION).toBe(current)
  for (const [version, scorer] of Object.entries(scorers)) expect(scorer.SCORER_VERSION).toBe(version)
})

test.each(Object.entries(versions).filter(([, { released }]) => released))(
  'the files of the released scorer %s have the pinned digest',
  (version, { sha256 }) => {
    const hash = createHash('sha256')
    for (const path of filesOf(version)) {
      const content = readFileSync(join(folder, version, path))
      hash.update(`${path}\n${content.length}\n`).update(content)
    }
    const advice = 'It is released: make the change in a next version (npm run scorer:next).'
    expect(hash.digest('hex'), advice).toBe(sha256)
  },
)

test.each(Object.keys(versions))(
  'scorer %s imports its own folder, types of the contracts, and @noble/hashes',
  (version) => {
    const home = join(folder, version)
    const foreign = filesOf(version).flatMap((path) => {
      const text = readFileSync(join(home, path), 'utf8')
      const imports = [...text.matchAll(IMPORT)]
      return imports
        .filter(([statement, ...names]) => {
          const target = names.join('')
          if (target.startsWith('.')) return !resolve(home, path, '..', target).startsWith(home + sep)
          if (target === '@cupel/contracts') return !statement.startsWith('import type')
          return !target.startsWith('@noble/hashes/')
        })
        .map(([statement]) => `${path}: ${statement}`)
    })
    expect(foreign).toEqual([])
  },
)
