// Long and full test files: which of them a run leaves out (CONTRIBUTING.md).
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { changesSinceLanding, sourcesOf } from './changed-sources.mjs'

const LONG = /\.long\.\w+\.test\.(ts|mjs)$/
const FOLDERS = ['packages', 'services', 'scripts']
const NO_SOURCES = new Set(['node_modules', 'dist', '.cache'])
/** CI runs no more than one in this many of the long files, whatever has changed. */
export const CI_TAKES_AT_MOST_ONE_OF = 3
/** Of the long files whose sources are as they were, CI runs one in this many. */
export const CI_DRAWS_ONE_OF = 6

/** Patterns of the files that `npm test` leaves out: long and full ones. */
export const leftOutFiles = ['long', 'full'].flatMap((mark) =>
  ['ts', 'mjs'].map((language) => `**/*.${mark}.*.test.${language}`),
)

/** Unit tests that draw cases for seconds. The quick tier leaves them out as well. */
export const drawingFiles = [
  'packages/domain/test/adversary*.unit.test.ts',
  'packages/domain/test/reference-*.unit.test.ts',
  'packages/labels/test/formats/losses.unit.test.ts',
  'packages/labels/test/formats/spellings.unit.test.ts',
  'packages/ledger/test/adversary*.unit.test.ts',
  'packages/ledger/test/losses.unit.test.ts',
  'packages/domain/src/scorer/*/exposure/breakdown.unit.test.ts',
  'packages/domain/src/scorer/*/screening/ledger-faults.unit.test.ts',
  'packages/domain/src/scorer/explain-change.unit.test.ts',
  'packages/domain/src/webhooks/delivery.unit.test.ts',
]

/**
 * The long files that CI leaves out. It takes those whose sources changed since the last landing and a sixth of the others, but no more than
 * a third of all: first the files of a changed package, then those of packages that import it, then the others. The commit draws the sixth
 * with which each of the three begins, so a repeated run takes the same files.
 * @param {string} root the checkout
 * @param {string | null} commit its hash; null if it is not known: then CI runs all
 * @param {readonly string[] | null} changed paths of changed files; null if they are not known: then all count as changed
 */
export function leftOutInCi(root, commit, changed = changesSinceLanding(root)) {
  if (commit === null) return []
  const distanceOf = sourcesOf(root, changed)
  const draw = Number.parseInt(commit.slice(0, 8), 16) % CI_DRAWS_ONE_OF
  const all = longFiles(root).map((path, index) => ({
    path,
    distance: distanceOf(path),
    place: (index + draw) % CI_DRAWS_ONE_OF,
  }))
  const unchanged = all.filter(({ distance }) => distance === Infinity).length
  const most = Math.floor(all.length / CI_TAKES_AT_MOST_ONE_OF)
  const wanted = all.length - unchanged + Math.ceil(unchanged / CI_DRAWS_ONE_OF)
  const inTurn = all.toSorted((a, b) => order(a.distance, b.distance) || a.place - b.place)
  return inTurn.slice(Math.min(most, wanted)).map(({ path }) => path)
}

/** The difference of two infinite distances would be no number. */
const order = (a, b) => (a === b ? 0 : a - b)

/** Paths relative to the checkout. */
export function longFiles(root) {
  return FOLDERS.flatMap((folder) => filesIn(join(root, folder)))
    .filter((path) => LONG.test(path))
    .map((path) => relative(root, path).replaceAll(sep, '/'))
    .sort()
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [join(folder, entry.name)]
    return NO_SOURCES.has(entry.name) ? [] : filesIn(join(folder, entry.name))
  })
}

/** Hash of the commit that is checked out; null outside of a repository. */
export function commitOf(root) {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return null
  }
}
