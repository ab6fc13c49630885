// Transpiles packages/*/src and services/*/src to dist, file by file, and copies what is not TypeScript. Only files whose
// content changed since the last build are touched. Types are checked by `npm run check`, not here.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const MANIFEST = join(root, '.cache', 'build.json')
const TEST_FILE = /\.(unit|contract|int|kafka|e2e)\.test\.ts$/
const OPTIONS = {
  loader: 'ts',
  format: 'esm',
  target: 'node20',
  sourcemap: 'external',
  sourcesContent: false,
}

/** @returns {Promise<{ built: number, removed: number }>} how many files were written and removed */
export async function buildAll() {
  const require = createRequire(import.meta.url)
  const recipe = digest(
    readFileSync(fileURLToPath(import.meta.url)),
    readFileSync(require.resolve('esbuild/package.json')),
  )
  const before = readManifest(recipe)
  const sources = listSources()
  const files = {}
  const changed = []
  for (const { source, output } of sources) {
    const content = readFileSync(join(root, source))
    const hash = digest(content)
    files[source] = { hash, output }
    if (before[source]?.hash !== hash || !existsSync(join(root, output)))
      changed.push({ source, output, content })
  }
  if (changed.length > 0) {
    // A build killed in the middle must not believe in the files it was writing.
    writeManifest(
      recipe,
      Object.fromEntries(Object.entries(before).filter(([source]) => !isIn(changed, source))),
    )
    const { transform, stop } = await import('esbuild')
    await Promise.all(changed.map((file) => emit(file, transform)))
    // Its helper process would otherwise live as long as the program that is started next.
    await stop()
  }
  // What lost its source must go: a stale file would still be found by an import.
  const gone = Object.entries(before).filter(([source]) => files[source] === undefined)
  for (const [, { output }] of gone) {
    rmSync(join(root, output), { force: true })
    rmSync(join(root, `${output}.map`), { force: true })
  }
  if (changed.length > 0 || gone.length > 0) writeManifest(recipe, files)
  return { built: changed.length, removed: gone.length }
}

function listSources() {
  const sources = []
  for (const group of ['packages', 'services']) {
    for (const name of readdirSync(join(root, group))) {
      const src = join(root, group, name, 'src')
      if (!existsSync(src)) continue
      for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || TEST_FILE.test(entry.name)) continue
        const inside = relative(src, join(entry.parentPath ?? entry.path, entry.name))
        const output = join(group, name, 'dist', inside.replace(/\.ts$/, '.js'))
        sources.push({ source: join(group, name, 'src', inside), output })
      }
    }
  }
  return sources
}

async function emit({ source, output, content }, transform) {
  const target = join(root, output)
  mkdirSync(dirname(target), { recursive: true })
  if (!source.endsWith('.ts')) return writeFileSync(target, content)
  const { code, map } = await transform(content.toString('utf8'), {
    ...OPTIONS,
    sourcefile: relative(dirname(output), source),
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  const name = output.slice(output.lastIndexOf('/') + 1)
  writeFileSync(`${target}.map`, map)
  writeFileSync(target, `${code}//# sourceMappingURL=${name}.map\n`)
}

function isIn(changed, source) {
  return changed.some((file) => file.source === source)
}

function writeManifest(recipe, files) {
  mkdirSync(dirname(MANIFEST), { recursive: true })
  writeFileSync(MANIFEST, JSON.stringify({ recipe, files }))
}

function readManifest(recipe) {
  try {
    const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8'))
    if (manifest.recipe === recipe) return manifest.files
  } catch {
    // None yet, or cut off by a kill: everything is built anew.
  }
  // Another recipe, or an unknown state: nothing that was built before may stay.
  for (const group of ['packages', 'services'])
    for (const name of readdirSync(join(root, group)))
      rmSync(join(root, group, name, 'dist'), { recursive: true, force: true })
  return {}
}

function digest(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { built, removed } = await buildAll()
  process.stderr.write(`Built ${built} files, removed ${removed}.\n`)
}
