// Prepares a checkout to run: installs the dependencies and builds. It uses only modules of Node, because it runs before the
// dependencies exist. All its output goes to standard error.
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildAll, isBuilt } from './build.mjs'
import { pinnedPackage } from './pinned-package.mjs'
import { holdingLock, SetupError } from './setup-lock.mjs'

export { orExplain } from './setup-lock.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Fetched by its hash, because the program that installs the other packages is in no lockfile. */
const PNPM_PACKAGE = {
  name: 'pnpm',
  version: '10.34.8',
  integrity:
    'sha512-9ieo6XE0Ov5J39D2PQKCNCAd+oMdXLWIcz4eX42ya/FpiaMhYatcG02zsf28NzFgYGtbieAC323RmoWt+R/FqA==',
}
const PNPM = `${PNPM_PACKAGE.name}@${PNPM_PACKAGE.version}`
const STAMP = join(root, 'node_modules', '.cupel-install.json')

/**
 * Installs and builds what is missing or out of date; safe to run from several processes at once. If nothing is, it takes no lock, so
 * that parallel commands do not wait for each other.
 * @param {{ build?: boolean }} options
 */
export async function setUp({ build = true } = {}) {
  if (installKey() === installedKey() && (!build || isBuilt())) return
  await holdingLock(async () => {
    await installDependencies()
    if (!build) return
    const { built } = await buildAll()
    if (built > 0) say(`Built ${built} files.`)
  })
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

/** Resolves to the path of pnpm, a program for node. Rejects with SetupError. */
export async function fetchPnpm() {
  return join(await pinnedPackage(PNPM_PACKAGE, join(root, '.cache', 'packages')), 'bin', 'pnpm.cjs')
}

async function installDependencies() {
  const wanted = installKey()
  if (wanted === installedKey()) return
  say(`Installing dependencies with ${PNPM} (some minutes the first time) …`)
  const pnpm = await fetchPnpm()
  const args = [pnpm, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false']
  const { code, error, output } = await run(process.execPath, [...args, '--reporter', 'append-only'])
  if (error !== null) throw new SetupError(`node cannot be run (${error.code}).`)
  if (code !== 0)
    throw new SetupError(
      `${output}\nInstalling the dependencies failed (exit code ${code}); the reason is above. Correct it and start again.`,
    )
  writeWhole(STAMP, `${JSON.stringify({ key: wanted })}\n`)
}

/** A hash of the lockfile, the workspace's settings, and the platform. */
function installKey() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'])
    hash.update(readFileSync(join(root, file)))
  return hash.update(`${PNPM} ${process.platform} ${process.arch}`).digest('hex')
}

function installedKey() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8')).key
  } catch {
    // The stamp is missing or incomplete: install again.
    return null
  }
}

/** Shows only the installer's progress. Returns the rest of its output for the case that it fails. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines = []
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        if (line.startsWith('Progress: ')) say(line)
        else lines.push(line)
      })
    child.once('error', (error) => resolve({ code: null, error, output: '' }))
    child.once('close', (code) => resolve({ code, error: null, output: lines.join('\n') }))
  })
}

/** Writes atomically: a reader sees the old file or the new one. */
function writeWhole(path, content) {
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true })
  const half = `${path}.${process.pid}.tmp`
  writeFileSync(half, content)
  renameSync(half, path)
}
