/**
 * The folder that holds everything a local installation stores (CUPEL_HOME). One program locks it at a time and writes its
 * connections into run.json, so that other commands find them.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOME_MODE } from './folder.js'
import type { KafkaCredentials } from './kafka-access.js'
import { LocalStackError } from './local-stack-error.js'
import { isSameProcess, processIdentity } from './process-identity.js'

export type Profile = 'embedded' | 'kafka'

/** run.json: the connections of the running installation. Only its owner may read it: it holds passwords. */
export interface RunFile {
  readonly profile: Profile
  readonly state: 'starting' | 'ready' | 'stopping'
  readonly pid: number
  /** Together with the pid it identifies the process that wrote this file. */
  readonly identity: string
  /** The command as typed, for messages: `cupel start`. */
  readonly command: string
  readonly startedAt: string
  readonly databaseUrl: string | null
  readonly brokers: readonly string[]
  /** Null or absent on the embedded profile. */
  readonly kafkaSasl?: KafkaCredentials | null
  readonly registry: string | null
  readonly topicPrefix: string
  readonly baseUrls: readonly string[]
  readonly services: readonly { readonly name: string; readonly healthUrl: string }[]
}

export interface HeldHome {
  readonly folder: string
  /** The folder of this profile: data, logs, keys. */
  readonly profileFolder: (profile: Profile) => string
  /** Children are recorded here. */
  readonly processFolder: string
  readonly logFile: (profile: Profile, name: string) => string
  writeRun(run: Omit<RunFile, 'pid' | 'identity' | 'command'>): void
  /** Unlocks the folder. */
  release(): void
}

const LOCK = 'lock'
const RUN = 'run.json'
const PROFILE = 'profile'

export interface Holder {
  readonly pid: number
  readonly identity: string
  readonly command: string
  readonly since: string
}

/**
 * Locks the folder and creates it if it is missing. Throws LocalStackError: `home-in-use` if another program holds it for longer than
 * `waitMs`, `permission-denied` if it cannot be written.
 */
export async function holdHome(folder: string, command: string, waitMs = 0): Promise<HeldHome> {
  const home = makeHome(folder)
  const giveUpAt = Date.now() + waitMs
  for (;;) {
    const holder = tryHold(home, command)
    if (holder === null) return heldHome(home, command)
    if (Date.now() >= giveUpAt) throw inUse(home, holder)
    await sleep(100)
  }
}

/** Whether an installation was ever created in the folder. */
export function holdsInstallation(folder: string): boolean {
  return existsSync(join(folder, 'postgres'))
}

/** The installation that runs on the folder now; null if none does. */
export function readRun(folder: string): RunFile | null {
  const run = readJson<RunFile>(join(folder, RUN))
  return run !== null && isSameProcess(run) ? run : null
}

/** The profile of the last start, the default of other commands. */
export function lastProfile(folder: string): Profile | null {
  const text = readText(join(folder, PROFILE))?.trim()
  return text === 'embedded' || text === 'kafka' ? text : null
}

export function rememberProfile(folder: string, profile: Profile): void {
  writeFileSync(join(folder, PROFILE), `${profile}\n`)
}

function heldHome(folder: string, command: string): HeldHome {
  const identity = processIdentity(process.pid)
  if (identity === null) throw new Error('This process cannot be found in the list of processes')
  return {
    folder,
    profileFolder: (profile) => join(folder, profile),
    processFolder: join(folder, 'processes'),
    logFile: (profile, name) => join(folder, profile, 'logs', `${name}.log`),
    writeRun(run) {
      const file: RunFile = { ...run, pid: process.pid, identity, command }
      writeWhole(join(folder, RUN), `${JSON.stringify(file, null, 2)}\n`)
    },
    release() {
      rmSync(join(folder, RUN), { force: true })
      rmSync(join(folder, LOCK), { force: true })
    },
  }
}

function makeHome(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: HOME_MODE })
    const home = realpathSync(folder)
    closeToOthers(home)
    const probe = join(home, `.probe-${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
    return home
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause)
    throw new LocalStackError(
      'permission-denied',
      `The folder ${folder} cannot be written (${code}): give this user access to it, or choose another with CUPEL_HOME.`,
      { cause },
    )
  }
}

/** A copy of a home may be open to others. A folder that no start has used yet may have any content, and keeps its mode. */
function closeToOthers(home: string): void {
  if (lastProfile(home) === null || !holdsInstallation(home)) return
  if ((statSync(home).mode & 0o777 & ~HOME_MODE) !== 0) chmodSync(home, HOME_MODE)
}

/** Locks any folder for this process; returns the holder if another one has it. The lock of a dead process is taken over. */
export function holdFolder(folder: string, command: string): { readonly release: () => void } | Holder {
  return tryHold(folder, command) ?? { release: () => rmSync(join(folder, LOCK), { force: true }) }
}

/** The running process that holds the folder; null if there is none. Changes nothing. */
export function holderOf(folder: string): Holder | null {
  const holder = readJson<Holder>(join(folder, LOCK))
  return holder !== null && isSameProcess(holder) ? holder : null
}

/** Null if this process holds the folder, otherwise the holder. */
function tryHold(home: string, command: string): Holder | null {
  const path = join(home, LOCK)
  const mine: Holder = {
    pid: process.pid,
    identity: processIdentity(process.pid) ?? '',
    command,
    since: new Date().toISOString(),
  }
  // The lock is written under another name and then linked, so that an existing lock is complete. A taken name fails the link.
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 })
  try {
    linkSync(draft, path)
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const holder = readJson<Holder>(path)
  if (holder !== null && isSameProcess(holder)) return holder
  removeStale(path, holder)
  return tryHold(home, command)
}

/** Moves the lock of a dead holder away. Of two processes only one does so; a process that moved a live lock puts it back. */
function removeStale(path: string, seen: Holder | null): void {
  const aside = `${path}.stale.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    const moved = readJson<Holder>(aside)
    if (moved !== null && moved.identity !== seen?.identity && isSameProcess(moved)) linkSync(aside, path)
  } finally {
    rmSync(aside, { force: true })
  }
}

function inUse(home: string, holder: Holder): LocalStackError {
  return new LocalStackError(
    'home-in-use',
    `${home} is in use by \`${holder.command}\` (process ${holder.pid}, since ${holder.since}): end that first, or give this one a folder and a port of its own with CUPEL_HOME and CUPEL_PORT.`,
  )
}

function readJson<T>(path: string): T | null {
  const text = readText(path)
  if (text === null) return null
  try {
    return JSON.parse(text) as T
  } catch {
    // A power loss cut off the file; its writer is gone.
    return null
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** A reader sees the old file or the new one, never a part of it. */
function writeWhole(path: string, content: string): void {
  const draft = `${path}.${process.pid}.tmp`
  writeFileSync(draft, content, { mode: 0o600 })
  renameSync(draft, path)
}
