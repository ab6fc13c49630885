// Reads the packages installed from the registry, each with its licence, install scripts, hash and dependencies.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** npm runs these when a package is installed, if that is allowed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall']

/**
 * @typedef {{ name: string, version: string, licence: string | null, installScripts: string[], integrity: string | null,
 *   dependsOn: string[], isRuntime: boolean, isDirect: boolean }} Dependency `dependsOn` has `name@version`.
 */

/**
 * The packages of the registry that the workspace reaches, sorted. Those for other platforms are not installed, so they are missing.
 * @param {string} root
 * @returns {Dependency[]}
 */
export function readDependencies(root) {
  const hashes = readHashes(root)
  /** @type {Map<string, Dependency>} */
  const found = new Map()
  const members = readMembers(root)
  const runtime = runtimeMembers(members)
  const visit = (folder, isRuntime, isDirect) => {
    const manifest = readManifest(folder)
    const id = `${manifest.name}@${manifest.version}`
    const known = found.get(id)
    if (known !== undefined) {
      known.isDirect ||= isDirect
      if (known.isRuntime || !isRuntime) return id
      known.isRuntime = true
    }
    const entry = known ?? describe(manifest, folder, hashes.get(id) ?? null)
    if (known === undefined) found.set(id, Object.assign(entry, { isRuntime, isDirect }))
    const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
    entry.dependsOn = names
      .map((name) => resolveFrom(folder, name))
      .filter((path) => path !== null)
      .map((path) => visit(path, isRuntime, false))
      .sort()
    return id
  }
  for (const { folder, manifest } of members) {
    const wanted = { ...manifest.devDependencies, ...manifest.dependencies, ...manifest.optionalDependencies }
    for (const [name, range] of Object.entries(wanted)) {
      if (range.startsWith('workspace:')) continue
      const path = resolveFrom(folder, name)
      const isRuntime = runtime.has(manifest.name) && manifest.dependencies?.[name] !== undefined
      if (path !== null) visit(path, isRuntime, true)
    }
  }
  return [...found.values()].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
}

/** @param {{ name: string, version: string }} dependency */
export const idOf = ({ name, version }) => `${name}@${version}`

function describe(manifest, folder, integrity) {
  const scripts = INSTALL_SCRIPTS.filter((script) => manifest.scripts?.[script] !== undefined)
  // npm builds a package with this file even if it has no script.
  if (scripts.length === 0 && existsSync(join(folder, 'binding.gyp'))) scripts.push('binding.gyp')
  const { name, version } = manifest
  return { name, version, licence: licenceOf(manifest), installScripts: scripts, integrity, dependsOn: [] }
}

/** The SPDX expression, or the older form of it in an older manifest; null if there is neither. */
function licenceOf({ license, licenses }) {
  if (typeof license === 'string') return license
  if (license?.type !== undefined) return license.type
  return Array.isArray(licenses) ? licenses.map(({ type }) => type).join(' OR ') : null
}

function readMembers(root) {
  const folders = ['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  )
  return [root, ...folders]
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(folder) }))
}

/** Names of the members that a running installation loads: those that the command and the services reach. */
function runtimeMembers(members) {
  const byName = new Map(members.map(({ manifest }) => [manifest.name, manifest]))
  const reached = new Set()
  const visit = (name) => {
    if (reached.has(name)) return
    reached.add(name)
    for (const next of Object.keys(byName.get(name)?.dependencies ?? {})) if (byName.has(next)) visit(next)
  }
  for (const { folder, manifest } of members) if (dirname(folder).endsWith('services')) visit(manifest.name)
  return reached
}

/** Hashes of the lockfile by `name@version`. */
function readHashes(root) {
  const text = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
  const entries = text.matchAll(
    /^ {2}'?([^\s'][^':]*?@[^':()]+)'?:\n {4}resolution: \{integrity: (sha512-[^,}]+)/gm,
  )
  return new Map([...entries].map(([, id, integrity]) => [id, integrity]))
}

/** The path where Node finds a package from a folder; null if it is not installed, such as an optional one of another platform. */
function resolveFrom(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, 'node_modules', name)
    if (existsSync(path)) return realpathSync(path)
    if (at === dirname(at)) return null
  }
}

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
