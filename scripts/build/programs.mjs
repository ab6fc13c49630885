// Bundles the programs of all services, and of their threads, with their libraries: a process then loads some files instead of two thousand. All
// bundled files are in dist of the checkout, and what programs share is in a part that they import: dist/SERVICE.js is the program of a service.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'

const FOLDER = 'dist'
/** Names the files and modules of each service, and of each role of a service that is a program of its own. */
const CONTENTS = join(FOLDER, 'programs.json')
const PROGRAM = 'main.ts'

/** What a thread runs: threadProgram starts it by its name, which a module next to it has as a string. */
const THREAD = /-worker\.ts$/

/** The sources of programs, relative to the checkout: those of services, and of threads. */
export function listPrograms(root) {
  return [...listServices(root), ...listThreads(root)]
}

/** A service, and each folder in its sources that is a role with a program of its own. */
const listServices = (root) =>
  readdirSync(join(root, 'services')).flatMap((service) => {
    const sources = join('services', service, 'src')
    const roles = readdirSync(join(root, sources)).map((role) => join(sources, role, PROGRAM))
    return [join(sources, PROGRAM), ...roles].filter((source) => existsSync(join(root, source)))
  })

const listThreads = (root) =>
  readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name, 'src'))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => THREAD.test(path))
        .map((path) => join(folder, path)),
    )
    .filter((source) => {
      const beside = join(root, dirname(source))
      return readdirSync(beside).some((name) => name.endsWith('.ts') && starts(join(beside, name), source))
    })

const starts = (path, thread) => readFileSync(path, 'utf8').includes(`'${basename(thread, '.ts')}'`)

/**
 * Bundles all programs and deletes files of earlier bundles. Rejects as esbuild does.
 * @param {string} root
 * @param {(options: ReturnType<typeof bundleOptions>) => Promise<{ metafile: import('esbuild').Metafile }>} build esbuild's
 * @returns {Promise<string[]>} the files that it wrote
 */
export async function bundlePrograms(root, build) {
  const programs = listPrograms(root)
  const { metafile } = await build(bundleOptions(root))
  const outputs = Object.keys(metafile.outputs)
  deleteOthers(root, outputs)
  const contents = listServices(root).map((source) => [nameOf(source), contentsOf(root, source, metafile)])
  writeFileSync(join(root, CONTENTS), `${JSON.stringify(Object.fromEntries(contents), null, 1)}\n`)
  const started = programs.filter(isStartedInPlace)
  for (const source of started) writeStarter(root, source)
  return [...outputs, CONTENTS, ...started.map(outputOf)]
}

/**
 * Options of esbuild.
 * @returns {import('esbuild').BuildOptions & { metafile: true }}
 */
export function bundleOptions(root) {
  return {
    absWorkingDir: root,
    entryPoints: listPrograms(root).map((source) => ({ in: source, out: nameOf(source) })),
    outdir: FOLDER,
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    logLevel: 'silent',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    conditions: ['cupel-source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: true,
    sourcesContent: false,
    external: NOT_BUNDLED,
    // Libraries in CommonJS require modules of Node.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    plugins: [modulesInPlace(root), oneLanguage],
  }
}

/** pg asks for pg-native, which nobody installs. */
const NOT_BUNDLED = ['pg-native']

const nameOf = (source) => {
  if (THREAD.test(source)) return basename(source, '.ts')
  const [, service, , ...path] = source.split(sep)
  return path.length === 1 ? service : path[0]
}
/** A thread is started by the module beside it, and scripts import the command line. */
const isStartedInPlace = (source) => THREAD.test(source) || nameOf(source) === 'cli'
const outputOf = (source) => source.replace(`${sep}src${sep}`, `${sep}dist${sep}`).replace(/\.tsx?$/, '.js')

function writeStarter(root, source) {
  const target = join(root, outputOf(source))
  mkdirSync(dirname(target), { recursive: true })
  const bundle = relative(dirname(target), join(root, FOLDER, `${nameOf(source)}.js`)).replaceAll(sep, '/')
  writeFileSync(target, `export * from '${bundle}'\n`)
}

/** The folder of a library. */
const LIBRARY = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * What a service loads, its threads included.
 * @returns {{ files: string[], modules: string[], libraries: string[] }} the bundles, and the files that start them; the sources of our own that are
 *   in them; the folders of the libraries that are in them
 */
function contentsOf(root, source, { outputs }) {
  const files = new Set()
  const modules = new Set()
  const libraries = new Set()
  const visit = (path) => {
    if (files.has(path)) return
    files.add(path)
    for (const { path: next, external } of outputs[path].imports) if (!external) visit(next)
    for (const input of Object.keys(outputs[path].inputs)) {
      const library = LIBRARY.exec(input)
      if (library === null) modules.add(input)
      else libraries.add(library[0])
    }
  }
  const start = (program) => {
    if (isStartedInPlace(program)) files.add(outputOf(program))
    visit(`${FOLDER}/${nameOf(program)}.js`)
  }
  start(source)
  for (const thread of listThreads(root)) {
    const isStarted = [...modules].some(
      (path) => dirname(path) === dirname(thread) && starts(join(root, path), thread),
    )
    if (isStarted) start(thread)
  }
  return { files: [...files].sort(), modules: [...modules].sort(), libraries: [...libraries].sort() }
}

function deleteOthers(root, outputs) {
  for (const name of readdirSync(join(root, FOLDER)))
    if (!outputs.includes(`${FOLDER}/${name}`)) rmSync(join(root, FOLDER, name), { recursive: true })
}

/**
 * The sentences of zod in English alone: those in other languages are a tenth of what a service loads.
 * @type {import('esbuild').Plugin}
 */
const oneLanguage = {
  name: 'one language',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js'`,
    }))
  },
}

/**
 * A bundled module finds the files beside its own built module, wherever the checkout is.
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
function modulesInPlace(root) {
  return {
    name: 'modules in place',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.tsx?$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!text.includes('import.meta.url')) return undefined
        const place = `../${outputOf(relative(root, path)).replaceAll(sep, '/')}`
        const contents = text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
      })
    },
  }
}
