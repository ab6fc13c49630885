// Bundles a TypeScript program of the tests as one file, the sources of the workspace included. A process or thread that transpiles and
// loads hundreds of sources takes four times as much processor time before it starts its work. It is JavaScript, because threads load it
// without a loader.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = join(CHECKOUT, '.cache/test-programs')
/** A bundle loads third-party packages from folders that name their versions. */
const VERSIONS = 'pnpm-lock.yaml'
export const CONDITION = 'cupel-source'

/**
 * The bundle of the program, made if there is none, or a source or a version of a package has changed since.
 * @param {string} source path of the program
 * @returns {Promise<string>} path of the bundle
 */
export async function bundledProgram(source) {
  const name = relative(CHECKOUT, source).replaceAll('/', '.')
  const [file, sources] = [join(FOLDER, `${name}.mjs`), join(FOLDER, `${name}.sources.json`)]
  if (isCurrent(file, sources)) return file
  mkdirSync(FOLDER, { recursive: true })
  const half = mkdtempSync(join(FOLDER, 'half-'))
  try {
    // Imported here, because most processes find a bundle.
    const { build } = await import('esbuild')
    const { metafile } = await build({
      ...{ entryPoints: [source], outfile: join(half, 'program.mjs'), bundle: true, logLevel: 'silent' },
      ...{ format: 'esm', platform: 'node', conditions: [CONDITION], metafile: true },
      ...{ absWorkingDir: CHECKOUT, plugins: [sourcesInPlace, packagesInPlace] },
    })
    const states = [VERSIONS, ...Object.keys(metafile.inputs)].map((path) => [path, stateOf(path)])
    writeFileSync(join(half, 'sources.json'), JSON.stringify({ checkout: CHECKOUT, states }))
    // Other processes may start the program meanwhile, so each file is put in place in one step.
    renameSync(join(half, 'program.mjs'), file)
    renameSync(join(half, 'sources.json'), sources)
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
  return file
}

/** @param {string} file @param {string} sources */
function isCurrent(file, sources) {
  if (!existsSync(file) || !existsSync(sources)) return false
  /** @type {{ checkout: string, states: [string, string][] }} */
  const { checkout, states } = JSON.parse(readFileSync(sources, 'utf8'))
  // A bundle names its files by their whole paths, so it does not work in a checkout that was moved.
  return checkout === CHECKOUT && states.every(([path, state]) => stateOf(path) === state)
}

/** @param {string} path relative to the checkout */
function stateOf(path) {
  const found = statSync(resolve(CHECKOUT, path), { throwIfNoEntry: false })
  return found === undefined ? 'gone' : `${found.mtimeMs} ${found.size}`
}

/**
 * Bundled sources find the files beside them.
 * @type {import('esbuild').Plugin}
 */
const sourcesInPlace = {
  name: 'sources in place',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8')).replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
    }))
  },
}

/**
 * Third-party packages are loaded from their own folders.
 * @type {import('esbuild').Plugin}
 */
const packagesInPlace = {
  name: 'packages in place',
  setup({ onResolve, resolve: find }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === packagesInPlace || path.startsWith('node:') || path.startsWith('@cupel/'))
        return undefined
      const found = await find(path, { kind, importer, resolveDir, pluginData: packagesInPlace })
      if (found.errors.length > 0 || !found.path.startsWith('/')) return found
      return { path: pathToFileURL(found.path).href, external: true }
    })
  },
}
