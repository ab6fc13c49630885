// The image of an earlier release, made from its commit in the history.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readReleases } from '../release.mjs'
import { fetchPnpm, root } from '../setup.mjs'
import { standIn } from './base-images.mjs'
import { docker } from './docker.mjs'
import { persist } from './persist.mjs'

const STAND_INS = join(root, 'scripts', 'containers', 'stand-ins')
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Whether the history is here: a download may lack it. */
export async function hasHistory(version) {
  const { commit } = readReleases()[version]
  return await git('cat-file', '-e', `${commit}^{tree}`).then(
    () => true,
    () => false,
  )
}

/** Resolves to the name of the image. */
export async function releasedImage(version) {
  const name = `cupel-test/released:${version}`
  const folder = mkdtempSync(join(tmpdir(), 'cupel-release-'))
  try {
    await checkOut(readReleases()[version].commit, folder)
    await build(folder)
    cpSync(join(STAND_INS, 'run-release.mjs'), join(folder, 'services', 'cli', 'dist', 'run-release.mjs'))
    await docker(
      ...['buildx', 'build', '--load', '--tag', name, '--file', join(STAND_INS, 'release.Dockerfile')],
      ...['--build-arg', `NODE_IMAGE=${await standIn('node', {})}`, folder],
    )
    return name
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function checkOut(commit, folder) {
  const archive = join(folder, 'release.tar')
  await git('archive', '--output', archive, commit)
  await run('tar', ['--extract', '--file', archive, '--directory', folder])
  rmSync(archive)
}

/** With what its services need to run, the package manager of this checkout and, for the build alone, its compiler. */
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
