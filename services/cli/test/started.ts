/** `cupel start` and other commands as a user runs them, in a separate folder, on free ports. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stopOrphans } from '@cupel/local-stack'
import type { Ready } from '../src/start/ready-line.js'

export const checkout = fileURLToPath(new URL('../../..', import.meta.url))

/** Far longer than promised, because the machine also runs other tests. */
const START_TIMEOUT_MS = 170_000
const END_TIMEOUT_MS = 120_000

export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly process: ChildProcess
  /** Resolves to the ready line; rejects if the command ends before it. */
  readonly ready: Promise<Ready>
  readonly ended: Promise<Ended>
}

export interface RunOptions {
  readonly home: string
  readonly environment?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Runs a script of the checkout; `npm` runs it as `npm start` would. */
export function run(command: string, args: readonly string[], options: RunOptions): Started {
  const child = spawn(command, args, {
    cwd: options.cwd ?? checkout,
    env: {
      ...environment(),
      ...{ CUPEL_HOME: options.home, CUPEL_PORT: '0' },
      // A busy machine may take longer than the default deadline.
      CUPEL_SCREEN_DEADLINE_MS: '20000',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Start a separate process group, as a shell does; a Ctrl-C reaches the whole group.
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
  const ready = new Promise<Ready>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`not ready within ${START_TIMEOUT_MS} ms\n${stdout}\n${stderr}`))
    }, START_TIMEOUT_MS)
    child.stdout.on('data', () => {
      const end = stdout.indexOf('\n')
      if (end === -1 || !stdout.startsWith('{')) return
      clearTimeout(timer)
      resolve(JSON.parse(stdout.slice(0, end)) as Ready)
    })
    void ended.then((end) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${end.exitCode} before it was ready\n${stdout}\n${stderr}`))
    })
  })
  ready.catch(() => undefined)
  return { process: child, ready, ended }
}

export function start(options: RunOptions, ...args: string[]): Started {
  return run(process.execPath, [join(checkout, 'scripts/start.mjs'), '--json', ...args], options)
}

export async function cupel(options: RunOptions, ...args: string[]): Promise<Ended> {
  return await run(process.execPath, [join(checkout, 'scripts/cupel.mjs'), ...args], options).ended
}

export async function end(started: Started, signal: NodeJS.Signals = 'SIGINT'): Promise<Ended> {
  started.process.kill(signal)
  const timer = setTimeout(() => started.process.kill('SIGKILL'), END_TIMEOUT_MS)
  try {
    return await started.ended
  } finally {
    clearTimeout(timer)
  }
}

/** Stops the remaining processes of a test, in any state, and removes the folder. */
export async function cleanUp(home: string, started: readonly Started[]): Promise<void> {
  await Promise.all(started.map((each) => end(each, 'SIGTERM')))
  await stopOrphans(join(home, 'processes'))
  rmSync(home, { recursive: true, force: true })
}

/** Returns paths below a folder that others may read, write or list. Others may only traverse a folder. */
export function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      // Services create and delete files meanwhile.
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat !== undefined && (stat.mode & (stat.isDirectory() ? 0o066 : 0o077)) !== 0
    })
}

export async function call(
  ready: Ready,
  path: string,
  init: { key?: string; body?: object } = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${ready.base_url}${path}`, {
    headers: {
      authorization: `Bearer ${init.key ?? ready.keys.read_write}`,
      'content-type': 'application/json',
    },
    ...(init.body === undefined ? {} : { method: 'POST', body: JSON.stringify(init.body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** The command gets none of the settings of the caller, of npm or of the test runner. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CUPEL_|VITEST|NODE_OPTIONS$|NODE_ENV$|INIT_CWD$|npm_)/.test(name),
    ),
  )
}
