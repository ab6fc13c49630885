// The parts of members' files that boundaries.json decides: exports and dependencies of package.json, and the list of read models.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

/** Customers know this package by its own name; every other package has the name of its folder. */
const nameOf = (member) => (member === 'sdk-typescript' ? '@cupel/sdk' : `@cupel/${member}`)
/** `watches` of `watches/routes`. */
const packageOf = (member) => member.split('/')[0]
const sorted = (record) =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)))

/**
 * @param {string} root the checkout
 * @param {Record<'packages' | 'services', Record<string, { imports: string[], tests?: string[] }>>} table
 * @returns {Record<string, string>} by path
 */
export function memberFiles(root, table) {
  const manifests = Object.entries(table).flatMap(([group, members]) =>
    [...new Set(Object.keys(members).map(packageOf))].map((name) => {
      const path = `${group}/${name}/package.json`
      return [path, manifestOf(readFileSync(join(root, path), 'utf8'), name, members)]
    }),
  )
  const views = table.packages['operation/read-models'].imports.map((room) => [room, viewOf(root, room)])
  return {
    ...Object.fromEntries(manifests),
    'packages/operation/src/read-models/generated/read-models.ts': readModelsModule(views),
  }
}

/** The same text if nothing differs. */
function manifestOf(text, name, members) {
  const manifest = JSON.parse(text)
  const rooms = Object.keys(members).filter((member) => packageOf(member) === name)
  const allowed = (kind) =>
    [...new Set(rooms.flatMap((room) => members[room][kind] ?? []).map(packageOf))].filter(
      // The testkit is a development tool of the workspace: the root's package.json names it.
      (one) => one !== name && one !== 'testkit',
    )
  const imports = allowed('imports')
  const wanted = {
    ...manifest,
    ...exportsWith(manifest, rooms),
    ...withOwn(manifest, 'dependencies', imports),
    ...withOwn(
      manifest,
      'devDependencies',
      allowed('tests').filter((one) => !imports.includes(one)),
    ),
  }
  return isDeepStrictEqual(wanted, manifest) ? text : `${JSON.stringify(wanted, null, 2)}\n`
}

function exportsWith({ exports = {} }, rooms) {
  const missing = rooms
    .filter((room) => room.includes('/'))
    .map((room) => room.slice(room.indexOf('/') + 1))
    .filter((room) => exports[`./${room}`] === undefined)
    .map((room) => [
      `./${room}`,
      { 'cupel-source': `./src/${room}/index.ts`, default: `./dist/${room}/index.js` },
    ])
  return missing.length === 0 ? {} : { exports: sorted({ ...exports, ...Object.fromEntries(missing) }) }
}

function withOwn(manifest, kind, packages) {
  const foreign = Object.entries(manifest[kind] ?? {}).filter(([name]) => !name.startsWith('@cupel/'))
  const own = packages.map((one) => [nameOf(one), 'workspace:*'])
  const wanted = sorted(Object.fromEntries([...own, ...foreign]))
  return Object.keys(wanted).length === 0 && manifest[kind] === undefined ? {} : { [kind]: wanted }
}

function viewOf(root, room) {
  const [name, folder] = [packageOf(room), room.slice(room.indexOf('/') + 1)]
  const index = readFileSync(join(root, 'packages', name, 'src', folder, 'index.ts'), 'utf8')
  const view = /\b\w+View\b/.exec(index)?.[0]
  if (view === undefined) throw new Error(`The index of ${room} exports no name that ends in View.`)
  return view
}

const readModelsModule = (
  views,
) => `// Generated from the imports of operation/read-models in boundaries.json by \`npm run generate\`. Do not edit.

${views.map(([room, view]) => `import { ${view} } from '@cupel/${room}'\n`).join('')}
/** All read models, each with its own checkpoint. */
export const readModels = [
${views.map(([, view]) => `  ${view},\n`).join('')}] as const
`
