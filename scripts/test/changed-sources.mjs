// Which test files use what a change touched (CONTRIBUTING.md).
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders whose folders are packages. */
const WORKSPACE = ['packages', 'services']
/** Texts that no test file needs more than the others: `npm test` checks them for every change. */
const TEXTS = /^docs\/|\.md$/

/**
 * Paths that differ from the last landing, uncommitted and new ones included: from the point at which the branch left origin/main, or from the parent
 * of the commit if origin/main holds the commit or does not exist. Null if the repository does not know either.
 * @returns {string[] | null}
 */
export function changesSinceLanding(root) {
  const head = git(root, 'rev-parse', 'HEAD')
  const branchedAt = git(root, 'merge-base', 'origin/main', 'HEAD')
  const base = branchedAt === null || branchedAt === head ? git(root, 'rev-parse', 'HEAD^') : branchedAt
  if (base === null) return null
  const lists = [
    git(root, 'diff', '--name-only', base),
    git(root, 'ls-files', '--others', '--exclude-standard'),
  ]
  return lists.includes(null)
    ? null
    : lists.flatMap((list) => list?.split('\n') ?? []).filter((path) => path !== '')
}

function git(root, ...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return null
  }
}

/**
 * How near a test file is to the changes: 0 if its package changed, 1 if a package changed that it uses directly or through others, or a
 * file outside of all packages; otherwise Infinity.
 * @param {readonly string[] | null} changed null if the changes are not known
 * @returns {(path: string) => number}
 */
export function sourcesOf(root, changed) {
  const counted = changed?.filter((path) => !TEXTS.test(path)) ?? ['']
  const touched = new Set(counted.map(packageOf))
  const isShared = touched.has(null)
  const usedBy = packagesUsedBy(root)
  return (path) => {
    const own = packageOf(path)
    if (touched.has(own)) return 0
    return isShared || [...usedBy(own)].some((used) => touched.has(used)) ? 1 : Infinity
  }
}

/** `packages/domain`, `services/api` or `scripts`; null for a file that all may use, such as the lockfile. */
function packageOf(path) {
  const [folder, name] = path.split('/')
  if (folder === 'scripts') return folder
  return WORKSPACE.includes(folder) ? `${folder}/${name}` : null
}

/** Packages that a package uses, directly or through others. Test programs of `scripts` start the product as a whole: they use all. */
function packagesUsedBy(root) {
  const usesOf = workspaceUses(root)
  return (own) => {
    if (own === 'scripts') return new Set(usesOf.keys())
    const used = new Set()
    const add = (path) => {
      if (used.has(path)) return
      used.add(path)
      for (const other of usesOf.get(path) ?? []) add(other)
    }
    add(own)
    return used
  }
}

/** Folders of the packages, each with the folders of the packages that its manifest names. */
function workspaceUses(root) {
  const manifests = WORKSPACE.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  )
    .filter((path) => existsSync(join(root, path, 'package.json')))
    .map((path) => ({ path, ...JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) }))
  const pathOf = new Map(manifests.map(({ name, path }) => [name, path]))
  return new Map(
    manifests.map(({ path, dependencies, devDependencies }) => [
      path,
      Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => pathOf.get(name) ?? []),
    ]),
  )
}
