// Long and full test files: which of them a run leaves out (ADR 331).
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const LONG = /\.long\.\w+\.test\.(ts|mjs)$/
const FOLDERS = ['packages', 'services', 'scripts']
const NO_SOURCES = new Set(['node_modules', 'dist', '.cache'])
/** One in this many of the long files runs in CI. */
export const CI_TAKES_ONE_OF = 3

/** Patterns of the files that `npm test` leaves out: long files, and those that only the full run takes. */
export const leftOutFiles = ['long', 'full'].flatMap((mark) =>
  ['ts', 'mjs'].map((language) => `**/*.${mark}.*.test.${language}`),
)

/**
 * The long files that CI leaves out for a commit. The commit draws the third that runs, so a repeated run takes the same files, and the next
 * commit may take others. Files that take long are spread over the thirds.
 * @param {string} root the checkout
 * @param {string | null} commit its hash; null if it is not known: then CI runs all
 * @param {readonly string[]} longest the longest files first
 */
export function leftOutInCi(root, commit, longest) {
  if (commit === null) return []
  const third = Number.parseInt(commit.slice(0, 8), 16) % CI_TAKES_ONE_OF
  return longFiles(root, longest).filter((_, index) => index % CI_TAKES_ONE_OF !== third)
}

/** Paths relative to the checkout, the listed ones first and in their order. */
export function longFiles(root, longest) {
  const found = FOLDERS.flatMap((folder) => filesIn(join(root, folder)))
    .filter((path) => LONG.test(path))
    .map((path) => relative(root, path).replaceAll(sep, '/'))
    .sort()
  const rankOf = (path) => (longest.includes(path) ? longest.indexOf(path) : longest.length)
  return found.sort((a, b) => rankOf(a) - rankOf(b))
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
