// Transpiles packages/*/src and services/*/src to dist, file by file, and copies files that are not TypeScript. It
// touches only files whose content changed since the last build. Then it bundles the programs (build/programs.mjs).
// Types are checked by `npm run check`, not here.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundlePrograms, listPrograms } from './build/programs.mjs'
import { holdingLock, SetupError } from './setup-lock.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const MANIFEST = join(root, '.cache', 'build.json')
const TEST_FILE = /\.(unit|contract|int|kafka|e2e)\.test\.tsx?$/
/** Code for browsers: each part is bundled into one file. Its sources are not modules of a service. */
const BUNDLES = [
  {
    folder: 'packages/console/src/client',
    entry: 'main.ts',
    output: 'packages/console/dist/client/console.js',
  },
  {
    folder: 'packages/gate/src/reference/client',
    entry: 'main.ts',
    output: 'packages/gate/dist/reference/client/run.js',
  },
]
const OPTIONS = {
  format: 'esm',
  target: 'node24',
  sourcemap: 'external',
  sourcesContent: false,
}

/**
 * The caller holds the set-up lock: two builds at once would corrupt the manifest.
 * @returns {Promise<{ built: number, removed: number }>} how many files were written and removed
 */
export async function buildAll() {
  const recipe = recipeOf()
  const { files: before, programs } = readManifest(recipe) ?? deleteAll()
  const files = [...listSources(), ...listBundles()].map((file) => {
    // Read time and size before the content: the next build then reads a file again that is written meanwhile.
    const seen = seenOf(file)
    const content = (file.parts ?? [file.source]).map((part) => readFileSync(join(root, part)))
    return { ...file, seen, content: Buffer.concat(content), hash: digest(...content) }
  })
  const changed = files.filter(({ source, output, hash }) => {
    const known = before[source]
    return known?.hash !== hash || known.written !== writtenAt(output)
  })
  // Delete outputs without a source: an import would still find them.
  const present = new Set(files.map(({ source }) => source))
  const gone = Object.entries(before).filter(([source]) => !present.has(source))
  if (changed.length === 0 && gone.length === 0 && areWritten(programs)) {
    // Record touched sources with the same content, so that the next check need not read them.
    writeManifest(recipe, files.map(entryOf), programs)
    return { built: 0, removed: 0 }
  }

  // If this build is killed, the next one must not trust the files that it was writing.
  const unfinished = new Set(changed.map(({ source }) => source))
  writeManifest(
    recipe,
    Object.entries(before).filter(([source]) => !unfinished.has(source)),
    null,
  )
  const bundled = await emitAll(changed)
  for (const [, { output }] of gone) {
    rmSync(join(root, output), { force: true })
    rmSync(join(root, `${output}.map`), { force: true })
  }
  writeManifest(recipe, files.map(entryOf), bundled)
  return { built: changed.length, removed: gone.length }
}

/**
 * Whether everything is built. It compares the modification time and size of each file, as version control does. It reads no source,
 * changes nothing and needs no lock: while another process builds, the manifest lacks the files that are being written.
 */
export function isBuilt() {
  const built = readManifest(recipeOf())
  if (built === null) return false
  const files = [...listSources(), ...listBundles()]
  return (
    files.length === Object.keys(built.files).length &&
    files.every((file) => {
      const known = built.files[file.source]
      return known?.seen === seenOf(file) && known.written === writtenAt(file.output)
    }) &&
    areWritten(built.programs)
  )
}

/** Whether the files of all programs are those of the last build; `programs` is null if it did not end. */
const areWritten = (programs) =>
  programs !== null && Object.entries(programs).every(([path, written]) => written === writtenAt(path))

function recipeOf() {
  const require = createRequire(import.meta.url)
  return digest(
    readFileSync(fileURLToPath(import.meta.url)),
    readFileSync(join(root, 'scripts', 'build', 'programs.mjs')),
    readFileSync(require.resolve('esbuild/package.json')),
    // Programs hold their libraries.
    readFileSync(join(root, 'pnpm-lock.yaml')),
  )
}

const entryOf = ({ source, output, hash, seen }) => [
  source,
  { output, hash, seen, written: writtenAt(output) },
]

/** A value that changes with every write of a file, or of any file in a bundle. */
function seenOf({ source, parts = [source] }) {
  return parts
    .map((part) => {
      const { mtimeMs, size } = statSync(join(root, part))
      return `${mtimeMs}:${size}`
    })
    .join()
}

function listSources() {
  const sources = []
  const programs = new Set(listPrograms(root))
  for (const group of ['packages', 'services']) {
    for (const name of readdirSync(join(root, group))) {
      const src = join(root, group, name, 'src')
      if (!existsSync(src)) continue
      for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || TEST_FILE.test(entry.name) || isBundled(entry)) continue
        const inside = relative(src, join(entry.parentPath, entry.name))
        const source = join(group, name, 'src', inside)
        if (entry.name.endsWith('.d.ts')) continue
        const output = join(group, name, 'dist', inside.replace(/\.tsx?$/, '.js'))
        sources.push({ source, output, isProgram: programs.has(source) })
      }
    }
  }
  return sources
}

function isBundled({ parentPath }) {
  return BUNDLES.some(({ folder }) => parentPath.startsWith(join(root, folder)))
}

/** A bundle is one source in the manifest, with one hash of all its parts. */
function listBundles() {
  return BUNDLES.map(({ folder, entry, output }) => {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    return {
      source: join(folder, entry),
      output,
      parts: names.sort().map((name) => join(folder, name)),
      isBundle: true,
    }
  })
}

async function emitBundle({ source, output }, build) {
  await build({
    entryPoints: [join(root, source)],
    outfile: join(root, output),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  })
}

/** Resolves to the times at which the files of programs were written. */
async function emitAll(files) {
  const { build, transform, stop } = await import('esbuild')
  try {
    const emitted = files.filter(({ isProgram }) => !isProgram)
    await Promise.all(
      emitted.map((file) => (file.isBundle ? emitBundle(file, build) : emit(file, transform))),
    )
    const outputs = await bundlePrograms(root, build)
    return Object.fromEntries(outputs.map((path) => [path, writtenAt(path)]))
  } catch (error) {
    // esbuild lists the files that it could not parse; any other error is a fault of the build itself.
    if (!Array.isArray(error.errors)) throw error
    const [{ text, location }] = error.errors
    throw new SetupError(`The build failed: ${text} (${location?.file}:${location?.line}).`)
  } finally {
    // Otherwise esbuild's helper process would live as long as the program that runs next.
    await stop()
  }
}

async function emit({ source, output, content }, transform) {
  const target = join(root, output)
  mkdirSync(dirname(target), { recursive: true })
  if (!/\.tsx?$/.test(source)) return writeFileSync(target, content)
  const { code, map } = await transform(content.toString('utf8'), {
    ...OPTIONS,
    ...(source.endsWith('.tsx')
      ? { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'preact' }
      : { loader: 'ts' }),
    sourcefile: relative(dirname(output), source),
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  const name = output.slice(output.lastIndexOf('/') + 1)
  writeFileSync(`${target}.map`, map)
  writeFileSync(target, `${code}//# sourceMappingURL=${name}.map\n`)
}

/** The output's time of modification; null if it is missing. A time that differs from the manifest means that another program wrote it. */
function writtenAt(output) {
  return statSync(join(root, output), { throwIfNoEntry: false })?.mtimeMs ?? null
}

function writeManifest(recipe, entries, programs) {
  mkdirSync(dirname(MANIFEST), { recursive: true })
  // A process that reads without the lock sees the old manifest or the new one.
  const draft = `${MANIFEST}.${process.pid}.tmp`
  writeFileSync(draft, JSON.stringify({ recipe, files: Object.fromEntries(entries), programs }))
  renameSync(draft, MANIFEST)
}

function readManifest(recipe) {
  try {
    const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8'))
    if (manifest.recipe === recipe) return manifest
  } catch {
    // The manifest is missing or incomplete.
  }
  return null
}

/** For another build recipe or an unknown state: everything is built again. */
function deleteAll() {
  for (const group of ['packages', 'services'])
    for (const name of readdirSync(join(root, group)))
      rmSync(join(root, group, name, 'dist'), { recursive: true, force: true })
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  return { files: {}, programs: null }
}

function digest(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await holdingLock(async () => {
    const { built, removed } = await buildAll()
    process.stderr.write(`Built ${built} files, removed ${removed}.\n`)
  })
}
