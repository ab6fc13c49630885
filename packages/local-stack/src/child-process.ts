/**
 * Child processes of the local stack. Each has its own process group: a Ctrl-C in the terminal reaches only the supervisor, which stops the
 * children in order. Each also has its own log file, and is recorded on disk, so that the next start finds the children that a killed
 * supervisor left behind.
 */
import { spawn } from 'node:child_process'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { diskFull, LocalStackError } from './local-stack-error.js'
import { isSameProcess, processIdentity } from './process-identity.js'

export interface ChildSpec {
  /** Unique within the run folder, for example `postgres`, `kafka`, `api-1`. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment of the child. */
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Only root may set it. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly logFile: string
  /** Folder in which the child is recorded while it runs. */
  readonly recordFolder: string
  /** Orphans are stopped by stage, lowest first: a program stops before those it depends on. */
  readonly stage: ChildStage
  /** Asks the child to end; after `stopTimeoutMs` its whole group is killed. */
  readonly stopSignal: 'SIGTERM' | 'SIGINT'
  readonly stopTimeoutMs: number
}

export const childStages = ['service', 'registry', 'log', 'database'] as const
export type ChildStage = (typeof childStages)[number]

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Child {
  readonly name: string
  readonly pid: number
  readonly startedAt: string
  /** Resolves when the child has ended, for any reason. */
  readonly exited: Promise<ChildExit>
  /** null while it runs. */
  readonly exit: () => ChildExit | null
  /** The last 64 KiB of its output since its start. */
  readonly output: () => string
  /** Asks the child to end, kills it after the time limit, and resolves when it has ended. Safe to call twice. */
  stop(): Promise<ChildExit>
}

/** At a start a log file of this size is rotated; this many rotated files are kept. */
export const MAX_LOG_BYTES = 10 * 1024 * 1024
export const KEPT_LOGS = 2
const OUTPUT_BYTES = 64 * 1024

export function startChild(spec: ChildSpec): Child {
  const log = openLog(spec.logFile)
  const outputFrom = fstatSync(log).size
  const child = spawn(spec.command, spec.args, {
    cwd: spec.cwd,
    env: spec.env ?? process.env,
    stdio: ['ignore', log, log],
    detached: true,
    ...(spec.user ?? {}),
  })
  closeSync(log)
  let ended: ChildExit | null = null
  const exited = new Promise<ChildExit>((resolve, reject) => {
    child.once('error', (error) => reject(programMissing(spec, error)))
    child.once('exit', (code, signal) => {
      ended = { code, signal }
      forget(spec, child.pid)
      resolve(ended)
    })
  })
  // The throw below reports a child that could not be started; this listener keeps the same error from being unhandled.
  exited.catch(() => undefined)
  const pid = child.pid
  if (pid === undefined) throw programMissing(spec)
  try {
    remember(spec, pid)
  } catch (error) {
    // After a crash of this process, no start could find the child.
    signal(-pid, 'SIGKILL')
    throw diskFull(spec.name, spec.recordFolder, String(error)) ?? error
  }

  return {
    name: spec.name,
    pid,
    startedAt: new Date().toISOString(),
    exited,
    exit: () => ended,
    output: () => readFrom(spec.logFile, outputFrom),
    async stop() {
      if (ended !== null) return ended
      signal(pid, spec.stopSignal)
      const late = setTimeout(() => signal(-pid, 'SIGKILL'), spec.stopTimeoutMs)
      try {
        return await exited
      } finally {
        clearTimeout(late)
      }
    },
  }
}

/** Whether a newly started child serves; it is probed repeatedly. A child that does not serve in time is stopped. */
export async function becomesReady(
  child: Child,
  isReady: () => Promise<boolean>,
  { timeoutMs, pollMs }: { readonly timeoutMs: number; readonly pollMs: number },
): Promise<'ready' | 'ended' | 'late'> {
  const giveUpAt = Date.now() + timeoutMs
  while (child.exit() === null) {
    if ((await isReady()) && child.exit() === null) return 'ready'
    if (Date.now() > giveUpAt) {
      await child.stop()
      return 'late'
    }
    await sleep(pollMs)
  }
  return 'ended'
}

interface ChildRecord {
  readonly name: string
  readonly pid: number
  readonly identity: string
  readonly command: string
  readonly stage: ChildStage
  readonly stopSignal: 'SIGTERM' | 'SIGINT'
  readonly stopTimeoutMs: number
}

/**
 * Stops the children that an earlier supervisor left behind, and returns their names. A record whose pid now belongs to another
 * program is only deleted.
 */
export async function stopOrphans(recordFolder: string): Promise<string[]> {
  const records = await readRecords(recordFolder)
  const orphans = records.filter(isSameProcess)
  for (const stage of childStages) {
    await Promise.all(orphans.filter((record) => record.stage === stage).map(stopOrphan))
  }
  for (const record of records) rmSync(join(recordFolder, `${record.name}.json`), { force: true })
  return orphans.map((record) => record.name)
}

/** Kills every recorded child at once: for a second Ctrl-C. */
export async function killChildren(recordFolder: string): Promise<void> {
  for (const record of (await readRecords(recordFolder)).filter(isSameProcess)) signal(-record.pid, 'SIGKILL')
}

const POLL_MS = 20

async function stopOrphan(record: ChildRecord): Promise<void> {
  signal(record.pid, record.stopSignal)
  const killAt = Date.now() + record.stopTimeoutMs
  let killed = false
  while (isSameProcess(record)) {
    if (!killed && Date.now() >= killAt) {
      signal(-record.pid, 'SIGKILL')
      killed = true
    }
    await sleep(POLL_MS)
  }
}

async function readRecords(recordFolder: string): Promise<ChildRecord[]> {
  let files: string[]
  try {
    files = await readdir(recordFolder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const records: ChildRecord[] = []
  for (const file of files.filter((name) => name.endsWith('.json'))) {
    try {
      records.push(JSON.parse(await readFile(join(recordFolder, file), 'utf8')) as ChildRecord)
    } catch {
      // A power loss cut off the record while it was written; processes from before it no longer run.
      rmSync(join(recordFolder, file), { force: true })
    }
  }
  return records
}

function remember(spec: ChildSpec, pid: number): void {
  const identity = processIdentity(pid)
  // The child has already ended: there is nothing to record.
  if (identity === null) return
  const { name, command, stage, stopSignal, stopTimeoutMs } = spec
  const record: ChildRecord = { name, pid, identity, command, stage, stopSignal, stopTimeoutMs }
  mkdirSync(spec.recordFolder, { recursive: true })
  writeFileSync(join(spec.recordFolder, `${name}.json`), JSON.stringify(record), { mode: 0o600 })
}

function forget(spec: ChildSpec, pid: number | undefined): void {
  if (pid !== undefined) rmSync(join(spec.recordFolder, `${spec.name}.json`), { force: true })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function programMissing(spec: ChildSpec, cause?: unknown): LocalStackError {
  return new LocalStackError(
    'child-failed',
    `${spec.name} could not be started: ${spec.command} cannot be run.`,
    {
      cause,
    },
  )
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true })
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= MAX_LOG_BYTES) {
    for (let age = KEPT_LOGS - 1; age >= 1; age -= 1) {
      if (statSync(`${path}.${age}`, { throwIfNoEntry: false }))
        renameSync(`${path}.${age}`, `${path}.${age + 1}`)
    }
    renameSync(path, `${path}.1`)
  }
  return openSync(path, 'a', 0o600)
}

function readFrom(path: string, from: number): string {
  const file = openSync(path, 'r')
  try {
    const size = fstatSync(file).size
    const start = Math.max(from, size - OUTPUT_BYTES)
    const buffer = Buffer.alloc(Math.max(0, size - start))
    readSync(file, buffer, 0, buffer.length, start)
    return buffer.toString('utf8')
  } finally {
    closeSync(file)
  }
}
