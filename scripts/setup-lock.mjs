// A lock for the set-up of a checkout: two starts of a fresh clone must not overwrite each other's files.
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const LOCK = join(root, '.cache', 'setup.lock')
const EXIT_SETUP = 17

/** A fault of the set-up, with a message for the person who started it. */
export class SetupError extends Error {
  /** @param {string} message */
  constructor(message, exitCode = EXIT_SETUP) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Runs `work`; prints the message of a SetupError and exits with its code. */
export async function orExplain(work) {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(error.exitCode)
  }
}

/** Runs `work` while this process holds the lock. */
export async function holdingLock(work) {
  try {
    mkdirSync(dirname(LOCK), { recursive: true })
  } catch (error) {
    throw new SetupError(
      `The checkout ${root} cannot be written (${error.code}): give this user access to it.`,
    )
  }
  let told = false
  while (!tryLock()) {
    if (!told) process.stderr.write('Another start is setting up this checkout; waiting for it …\n')
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
    // Move the file instead of deleting it: if two processes see the same dead holder, only one of them moves the file.
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
    // The file is created but not yet written, or its writer was killed in between.
    if (!(pid > 0)) return Date.now() - statSync(LOCK).mtimeMs > UNWRITTEN_LOCK_MS
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
