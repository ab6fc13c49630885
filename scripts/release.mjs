// Cuts a release, in two commits:
//   node scripts/release.mjs 0.2.0                              freezes the files of a release, and writes them to releases.json
//   node scripts/release.mjs 0.2.0 --commit HASH FOLDER KEY     names the commit of the release, in the commit after it, and makes its
//                                                               signed files in the folder
//   node scripts/release.mjs 0.2.0 --trial HASH                 names a commit that need not exist and makes no files, for a trial
//   node scripts/release.mjs 0.2.0 --dry-run HASH FOLDER KEY    makes such files of a commit, and changes nothing
// It builds the scorer into one file, and freezes that, the golden samples and the SQL migrations, because later releases read what this one
// wrote. Later releases may only add to the API description of this one.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { migrationFiles } from './migration-files.mjs'
import { withoutDigest } from './containers/foreign-images.mjs'
import { makeReleaseFiles } from './release-files.mjs'
import { nameScorerCommit, releaseScorer } from './scorers.mjs'
import { versionAfter } from './version.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const TABLE = join(root, 'releases.json')

/** @returns {Record<string, { date: string, commit: string | null, scorer: { version: string, sha256: string }, files: Record<string, string> }>} */
export const readReleases = () => (existsSync(TABLE) ? JSON.parse(readFileSync(TABLE, 'utf8')) : {})

const writeReleases = (releases) => writeFileSync(TABLE, `${JSON.stringify(releases, null, 2)}\n`)

/** Lowercase hex. */
export const sha256Of = (path) =>
  createHash('sha256')
    .update(readFileSync(join(root, path)))
    .digest('hex')

/** Paths of the files that a release freezes, relative to the checkout, with `/` between names. */
export function frozenPaths() {
  const samples = filesIn(join(root, 'schemas/golden')).filter((path) => !path.endsWith('.md'))
  return [...samples, ...migrationFiles(root)].map((path) => relative(root, path).split(sep).join('/')).sort()
}

function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

async function freeze(version) {
  const { current, versions } = await releaseScorer({ commit: null })
  const scorer = { version: current, sha256: versions[current].sha256 }
  showVersion(version)
  copyFileSync(join(root, 'docs/reference/openapi.json'), join(root, 'docs/api/released/v1.json'))
  const files = Object.fromEntries(frozenPaths().map((path) => [path, sha256Of(path)]))
  const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
  writeReleases({ ...readReleases(), [version]: { date, commit: null, scorer, files } })
  console.log(
    `${version} freezes scorer ${scorer.version} and ${frozenPaths().length} files. Date it in CHANGELOG.md, commit, then name the commit.`,
  )
}

/**
 * Why a version may not be named as a release; null if it may. A tag can be moved after the release is signed, so each image has a digest.
 * @param {string} version
 * @param {Readonly<Record<string, unknown>>} releases
 * @param {(file: string) => string} read the text of a file of the commit
 * @param {boolean} isCheckedOut whether the files of this checkout are those of the commit: the bill of materials and the
 *   package of the command line are made of them
 */
export function refusalOf(version, releases, read, isCheckedOut) {
  if (releases[version] === undefined) return `There is no release ${version} in releases.json`
  if (!isCheckedOut)
    return 'The files of this checkout are not those of the commit: check it out, and change nothing'
  const unpinned = withoutDigest(read)
  return unpinned.length === 0
    ? null
    : `Images have no digest: ${unpinned.join(', ')}. Run node scripts/containers/foreign-images.mjs --pin, and commit`
}

const readAt = (commit) => (file) =>
  execFileSync('git', ['show', `${commit}:${file}`], { cwd: root, encoding: 'utf8' })

const isCheckedOut = (commit) =>
  spawnSync('git', ['diff', '--quiet', commit, '--'], { cwd: root }).status === 0

function nameCommit(version, commit) {
  const releases = readReleases()
  if (releases[version] === undefined) throw new Error(`There is no release ${version} in releases.json`)
  writeReleases({ ...releases, [version]: { ...releases[version], commit } })
  nameScorerCommit(commit)
  // What comes now is in no release, and must not call itself one.
  showVersion(versionAfter(version))
}

/** Shows a version in everything that shows one. */
function showVersion(version) {
  const manifest = join(root, 'package.json')
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace(/^( {2}"version": ").+(?=",$)/m, `$1${version}`),
  )
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/generate.mjs')], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('npm run generate failed')
}

/** @param {string[]} words */
async function main([version = '', option, commit = '', folder, keyFile]) {
  const isVersion = /^\d+\.\d+\.\d+$/.test(version)
  if (isVersion && option === undefined) return await freeze(version)
  const isCommit = /^[0-9a-f]{40}$/.test(commit)
  if (isVersion && isCommit && option === '--trial') return nameCommit(version, commit)
  if (isVersion && isCommit && folder !== undefined && keyFile !== undefined) {
    // The files come first: a key that signs nothing leaves no release half named.
    const refusal =
      option === '--commit' ? refusalOf(version, readReleases(), readAt(commit), isCheckedOut(commit)) : null
    if (refusal !== null) throw new Error(refusal)
    if (option === '--commit' || option === '--dry-run')
      await makeReleaseFiles({ version, commit }, folder, keyFile)
    if (option === '--commit') return nameCommit(version, commit)
    if (option === '--dry-run') return
  }
  console.error(
    'usage: node scripts/release.mjs VERSION [--commit|--dry-run HASH FOLDER KEY], with all 40 digits',
  )
  process.exit(2)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2))
