// Brings a checkout into a state in which its programs can run: the right Node, the dependencies, the build.
// Plain Node without dependencies, for it runs before there are any. Everything it says goes to standard error.
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const PNPM = 'pnpm@10.34.8'
const STAMP = join(root, 'node_modules', '.cupel-install.json')
const LOCK = join(root, '.cache', 'setup.lock')
const EXIT_SETUP = 17

/** What stops the set-up, in a sentence for the person who started it. */
export class SetupError extends Error {
  exitCode = EXIT_SETUP
}

/**
 * Installs and builds what is missing or out of date; safe to run from several processes at once.
 * @param {{ build?: boolean }} options
 */
export async function setUp({ build = true } = {}) {
  await holdingLock(async () => {
    await installDependencies()
    if (!build) return
    const { buildAll } = await import('./build.mjs')
    const { built } = await buildAll().catch((error) => {
      // esbuild lists what it could not read; anything else is a fault of the build itself.
      if (!Array.isArray(error.errors)) throw error
      const [first] = error.errors
      throw new SetupError(
        `The build failed: ${first.text} (${first.location?.file}:${first.location?.line}).`,
      )
    })
    if (built > 0) say(`Built ${built} files.`)
  })
}

/** Runs `work` and turns a SetupError into its sentence and exit code. */
export async function orExplain(work) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    say(error.message)
    process.exit(error.exitCode)
  }
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

async function installDependencies() {
  const wanted = installKey()
  if (wanted === installedKey()) return
  say(`Installing dependencies with ${PNPM} (some minutes the first time) …`)
  const args = ['--yes', PNPM, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false']
  const { code, error } = await run('npx', [...args, '--reporter', 'append-only'])
  if (error !== null)
    throw new SetupError(`npx cannot be run (${error.code}): install npm, which comes with Node.`)
  if (code !== 0)
    throw new SetupError(
      `Installing the dependencies failed (exit code ${code}); the reason is above. Mend it and start again.`,
    )
  writeWhole(STAMP, `${JSON.stringify({ key: wanted })}\n`)
}

/** Changes with the lockfile, the workspace's settings, and the kind of machine the programs are for. */
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
    // No stamp, or half of one: installing again does no harm.
    return null
  }
}

function run(command, args) {
  return new Promise((resolve) => {
    // Standard output is for the program's own answer; the installer's progress is shown on standard error.
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
    child.once('error', (error) => resolve({ code: null, error }))
    child.once('exit', (code) => resolve({ code, error: null }))
  })
}

/** One set-up at a time: two starts of a fresh clone would write over each other. */
async function holdingLock(work) {
  try {
    mkdirSync(dirname(LOCK), { recursive: true })
  } catch (error) {
    throw new SetupError(
      `The checkout ${root} cannot be written (${error.code}): give this user access to it.`,
    )
  }
  let told = false
  while (!tryLock()) {
    if (!told) say('Another start is setting up this checkout; waiting for it …')
    told = true
    await sleep(100)
  }
  try {
    await work()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

function tryLock() {
  try {
    const file = openSync(LOCK, 'wx')
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if (error.code === 'EACCES' || error.code === 'EROFS')
      throw new SetupError(
        `The checkout ${root} cannot be written (${error.code}): give this user access to it.`,
      )
    if (error.code !== 'EEXIST') throw error
  }
  if (holderIsGone()) {
    // Moved, not deleted: of two that see the same dead holder only one moves its file.
    const aside = `${LOCK}.${process.pid}`
    try {
      renameSync(LOCK, aside)
      rmSync(aside, { force: true })
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
  return false
}

const UNWRITTEN_LOCK_MS = 2_000

function holderIsGone() {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'))
    // Created and not yet written, or its writer was killed in between.
    if (!(pid > 0)) return Date.now() - statSync(LOCK).mtimeMs > UNWRITTEN_LOCK_MS
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

/** A reader sees the old file or the new one, never half of it. */
export function writeWhole(path, content) {
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true })
  const half = `${path}.${process.pid}.tmp`
  writeFileSync(half, content)
  renameSync(half, path)
}
