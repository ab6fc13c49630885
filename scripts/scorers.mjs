// Keeps packages/domain/scorers.json: the scorer versions and the current one. The sources of the current one are a folder. A released one
// is one built file, which never changes. Plain Node, but for the build of a release.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const checkout = join(dirname(fileURLToPath(import.meta.url)), '..')
const TABLE = 'packages/domain/scorers.json'
const FOLDER = 'packages/domain/src/scorer'
/** A line of a built file ends soon after this many characters. */
const LINE_LENGTH = 120

/**
 * `sha256` is of the built file, `sources` of the folder while that is here, `commit` has the sources.
 * @typedef {{ released: boolean, sha256?: string, sources?: string, commit?: string | null }} Scorer
 */

/** Path of the folder, relative to the checkout. */
export const folderOf = (version) => `${FOLDER}/${version}`
/** Path of the built file of a release. */
export const builtFileOf = (version) => `${FOLDER}/released/${version}.js`
const typesOf = (version) => `${FOLDER}/released/${version}.d.ts`

export const isVersion = (text) => /^\d+\.\d+\.\d+$/.test(text ?? '')

/** @returns {{ current: string, versions: Record<string, Scorer> }} */
export const readTable = (root = checkout) => JSON.parse(readFileSync(join(root, TABLE), 'utf8'))

export const writeTable = (table, root = checkout) => writeFileSync(join(root, TABLE), textOf(table))

const textOf = (table) => `${JSON.stringify(table, null, 2)}\n`
const sha256Of = (content) => createHash('sha256').update(content).digest('hex')

/** SHA-256, lowercase hex, over path and content of every file of a scorer's folder except tests. */
function digestOf(version, root) {
  const folder = join(root, folderOf(version))
  const hash = createHash('sha256')
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.unit.test.ts'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
  for (const path of paths) {
    const content = readFileSync(join(folder, path))
    hash.update(`${path}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** A scorer as one module that imports nothing. Equal sources and an equal compiler give equal bytes, in any folder. */
export async function buildScorer(version, root = checkout) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: "export { decideAgain, SCORER_VERSION } from './index.js'",
      resolveDir: join(root, folderOf(version)),
      sourcefile: 'released.ts',
      loader: 'ts',
    },
    ...{ bundle: true, write: false, format: 'esm', platform: 'neutral', target: 'es2023', charset: 'utf8' },
    // Names stay, so that a stack can be read. White space goes, because comments would name the folders of this checkout.
    ...{ minifyWhitespace: true, lineLimit: LINE_LENGTH },
    banner: {
      js: `// Scorer ${version}, built from the commit that packages/domain/scorers.json names. It never changes.`,
    },
    logLevel: 'silent',
  })
  return outputFiles[0].text
}

/** Releases the current scorer, unless it is released. `commit` has its sources; null if that commit is still to be made. */
export async function releaseScorer({ root = checkout, commit }) {
  const table = readTable(root)
  const { current } = table
  if (table.versions[current].released) return table
  const built = await buildScorer(current, root)
  mkdirSync(dirname(join(root, builtFileOf(current))), { recursive: true })
  writeFileSync(join(root, builtFileOf(current)), built)
  const sources = digestOf(current, root)
  table.versions[current] = { released: true, sha256: sha256Of(built), sources, commit }
  writeTable(table, root)
  return table
}

/** Names the commit of the current scorer, if it is released and its commit was still to be made. */
export function nameScorerCommit(commit, root = checkout) {
  const table = readTable(root)
  const entry = table.versions[table.current]
  if (!entry.released || entry.commit !== null) return
  entry.commit = commit
  writeTable(table, root)
}

/** Releases the current scorer and makes its folder the one of the next version. */
export async function beginScorer(next, { root = checkout, commit }) {
  const { current, versions } = await releaseScorer({ root, commit })
  const released = { ...versions[current] }
  // From now on only the commit has the sources.
  delete released.sources
  if (released.commit === null) throw new Error(`The commit of scorer ${current} is not named yet.`)
  renameSync(join(root, folderOf(current)), join(root, folderOf(next)))
  writeFileSync(
    join(root, folderOf(next), 'version.ts'),
    `/** Names this scorer in every report it decides. */\nexport const SCORER_VERSION = '${next}'\n`,
  )
  writeTable(
    { current: next, versions: { ...versions, [current]: released, [next]: { released: false } } },
    root,
  )
}

/** The expected content of the generated files: path and text. Throws if a released scorer has changed. */
export function scorerFiles(root = checkout) {
  const { current, versions } = readTable(root)
  const released = Object.keys(versions).filter((version) => versions[version].released)
  for (const version of released) refuseChange(version, versions[version], root)
  return {
    [`${FOLDER}/versions.ts`]: versionsModule(current, versions),
    ...Object.fromEntries(released.map((version) => [typesOf(version), typesModule(current)])),
  }
}

/** @param {string} version @param {Scorer} entry @param {string} root */
function refuseChange(version, { sha256, sources }, root) {
  const path = builtFileOf(version)
  if (!existsSync(join(root, path)) || sha256Of(readFileSync(join(root, path))) !== sha256)
    throw new Error(`${path} is released and has changed. Restore it from the history.`)
  if (sources !== undefined && digestOf(version, root) !== sources)
    throw new Error(
      `Scorer ${version} is released and its folder has changed. Undo the change, or make it in a next version: npm run scorer:next`,
    )
}

const GENERATED = '// Generated from packages/domain/scorers.json by `npm run generate`. Do not edit.\n'

function versionsModule(current, versions) {
  const names = Object.keys(versions).map((version) => ({
    version,
    name: `scorer_${version.replaceAll('.', '_')}`,
    path: versions[version].released ? `./released/${version}.js` : `./${version}/index.js`,
  }))
  return `${GENERATED}${names.map(({ name, path }) => `import * as ${name} from '${path}'`).join('\n')}

export * from './${current}/index.js'

export const CURRENT_SCORER_VERSION = '${current}'

export const scorers = {
${names.map(({ version, name }) => `  '${version}': ${name},`).join('\n')}
} as const
`
}

/** The types with which the present code calls a released scorer. */
const typesModule = (current) => `${GENERATED}import type { ReportGenerated } from '@cupel/contracts'
import type { SharedInputs } from '../${current}/index.js'

export const SCORER_VERSION: string
export const decideAgain: (recorded: ReportGenerated, shared: SharedInputs) => ReportGenerated
`
