// Keeps packages/domain/scorers.json up to date: the scorer versions, the current one, and the digest of each released folder. Plain Node.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const TABLE = 'packages/domain/scorers.json'
const VERSIONS = 'packages/domain/src/scorer/versions.ts'

export const folderOf = (version) => join(root, 'packages/domain/src/scorer', version)
export const isTest = (path) => path.endsWith('.unit.test.ts')

/** @returns {{ current: string, versions: Record<string, { released: boolean, sha256?: string }> }} */
export const readTable = () => JSON.parse(readFileSync(join(root, TABLE), 'utf8'))

export const writeTable = (table) => writeFileSync(join(root, TABLE), textOf(table))

const textOf = (table) => `${JSON.stringify(table, null, 2)}\n`

/** SHA-256, lowercase hex, over path and content of every file of a scorer except tests. */
export function digestOf(version) {
  const folder = folderOf(version)
  const hash = createHash('sha256')
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isTest(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
  for (const path of paths) {
    const content = readFileSync(join(folder, path))
    hash.update(`${path}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/**
 * The expected content of the files: path and text. Throws if a released folder has changed.
 */
export function scorerFiles() {
  const table = readTable()
  for (const [version, entry] of Object.entries(table.versions)) {
    if (entry.released && entry.sha256 !== digestOf(version))
      throw new Error(
        `Scorer ${version} is released and its folder has changed. Undo the change, or make it in a next version: npm run scorer:next`,
      )
  }
  return { [TABLE]: textOf(table), [VERSIONS]: versionsModule(table) }
}

function versionsModule({ current, versions }) {
  const names = Object.keys(versions).map((version) => [version, `scorer_${version.replaceAll('.', '_')}`])
  return `// Generated from packages/domain/scorers.json by \`npm run generate\`. Do not edit.
${names.map(([version, name]) => `import * as ${name} from './${version}/index.js'`).join('\n')}

export * from './${current}/index.js'

export const CURRENT_SCORER_VERSION = '${current}'

export const scorers = {
${names.map(([version, name]) => `  '${version}': ${name},`).join('\n')}
} as const
`
}
