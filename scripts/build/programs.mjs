// Bundles the programs of all services with their libraries: a process then loads some files instead of two thousand. All bundled files are in
// dist of the checkout, and what programs share is in a part that they import. services/SERVICE/dist/main.js, where a program is started,
// imports its bundle.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

const FOLDER = 'dist'
/** Names the files of each program. */
const CONTENTS = join(FOLDER, 'programs.json')
const PROGRAM = 'main.ts'

/** The sources of programs, relative to the checkout. */
export function listPrograms(root) {
  return readdirSync(join(root, 'services'))
    .map((service) => join('services', service, 'src', PROGRAM))
    .filter((source) => existsSync(join(root, source)))
}

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
  const contents = programs.map((source) => [serviceOf(source), filesOf(source, metafile.outputs)])
  writeFileSync(join(root, CONTENTS), `${JSON.stringify(Object.fromEntries(contents), null, 1)}\n`)
  for (const source of programs) writeStarter(root, source)
  return [...outputs, CONTENTS, ...programs.map(outputOf)]
}

/**
 * Options of esbuild.
 * @returns {import('esbuild').BuildOptions & { metafile: true }}
 */
export function bundleOptions(root) {
  return {
    absWorkingDir: root,
    entryPoints: listPrograms(root).map((source) => ({ in: source, out: serviceOf(source) })),
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

const serviceOf = (source) => source.split(sep)[1]
const outputOf = (source) => source.replace(`${sep}src${sep}`, `${sep}dist${sep}`).replace(/\.tsx?$/, '.js')

function writeStarter(root, source) {
  const target = join(root, outputOf(source))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, `export * from '../../../${FOLDER}/${serviceOf(source)}.js'\n`)
}

function filesOf(source, outputs) {
  const files = new Set()
  const visit = (path) => {
    if (files.has(path)) return
    files.add(path)
    for (const { path: next, external } of outputs[path].imports) if (!external) visit(next)
  }
  visit(`${FOLDER}/${serviceOf(source)}.js`)
  return [...files].sort()
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
