// The sources of an earlier release from the history, with what they need to run.
import { execFile } from 'node:child_process'
import { realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { persist } from './containers/persist.mjs'
import { readReleases } from './release.mjs'
import { fetchPnpm, root } from './setup.mjs'

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Whether the history is here: a download may lack it. */
export async function hasHistory(version) {
  const commit = readReleases()[version]?.commit
  return await git('cat-file', '-e', `${commit}^{tree}`).then(
    () => true,
    () => false,
  )
}

/** Writes the built release into an empty folder. Rejects if the history lacks it or a package cannot be fetched. */
export async function checkOutRelease(version, folder) {
  const archive = join(folder, 'release.tar')
  await git('archive', '--output', archive, readReleases()[version].commit)
  await run('tar', ['--extract', '--file', archive, '--directory', folder])
  rmSync(archive)
  await build(folder)
}

/** Installs only what the services need to run. Uses the package manager of this checkout and, for the build only, its compiler. */
async function build(folder) {
  const pnpm = await fetchPnpm()
  const install = ['install', '--prod', '--frozen-lockfile', '--ignore-scripts', '--reporter', 'silent']
  await persist(() => run(process.execPath, [pnpm, ...install], folder))
  const compiler = join(folder, 'node_modules', 'esbuild')
  symlinkSync(realpathSync(join(root, 'node_modules', 'esbuild')), compiler)
  await run(process.execPath, ['scripts/build.mjs'], folder)
  rmSync(compiler)
}

const git = (...args) => run('git', args)

const run = (command, args, cwd = root) =>
  promisify(execFile)(command, args, { cwd, maxBuffer: MAX_OUTPUT_BYTES })
