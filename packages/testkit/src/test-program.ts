/**
 * Programs of tests that run in their own processes, bundled as one file each. A process that transpiles and loads hundreds of sources
 * takes four times as much processor time before it starts its work.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = join(CHECKOUT, '.cache/test-programs')
const CONDITION = 'cupel-source'

const bundles = new Map<string, Promise<string>>()

/** Arguments of Node that run the TypeScript program on the sources of the workspace. Each worker bundles a program once. */
export async function programArguments(program: URL): Promise<string[]> {
  const source = fileURLToPath(program)
  const known = bundles.get(source) ?? bundle(source)
  bundles.set(source, known)
  return [`--conditions=${CONDITION}`, await known]
}

/** Other workers may start the program meanwhile, so the file is put in place in one step. */
async function bundle(source: string): Promise<string> {
  const file = join(FOLDER, `${relative(CHECKOUT, source).replaceAll('/', '.')}.mjs`)
  mkdirSync(FOLDER, { recursive: true })
  const half = mkdtempSync(join(FOLDER, 'half-'))
  try {
    await build({
      ...{ entryPoints: [source], outfile: join(half, 'program.mjs'), bundle: true, logLevel: 'silent' },
      ...{ format: 'esm', platform: 'node', conditions: [CONDITION] },
      plugins: [sourcesInPlace, packagesInPlace],
    })
    renameSync(join(half, 'program.mjs'), file)
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
  return file
}

/** Bundled sources find the files beside them. */
const sourcesInPlace: Plugin = {
  name: 'sources in place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8')).replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
    }))
  },
}

/** Third-party packages are loaded from their own folders. */
const packagesInPlace: Plugin = {
  name: 'packages in place',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === packagesInPlace || path.startsWith('node:') || path.startsWith('@cupel/'))
        return undefined
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: packagesInPlace })
      if (found.errors.length > 0 || !found.path.startsWith('/')) return found
      return { path: pathToFileURL(found.path).href, external: true }
    })
  },
}
