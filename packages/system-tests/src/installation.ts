/** An installation started as a user would start it, in its own folder, on free ports. */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findVictims, type Victim } from './process-tree.js'

export const checkout = fileURLToPath(new URL('../../..', import.meta.url))

/** The line `cupel start --json` prints once everything is ready. */
export interface ReadyLine {
  readonly base_url: string
  readonly base_urls: readonly string[]
  /** Null if the console is not served. */
  readonly console_url: string | null
  readonly keys: { readonly read_write: string; readonly read_only: string; readonly operator: string }
  readonly metrics_urls: readonly string[]
  readonly log: {
    readonly kind: 'embedded' | 'kafka'
    readonly brokers?: readonly string[]
    readonly registry?: string
  }
  readonly home: string
}

export interface StartOptions {
  readonly kafka?: boolean
  readonly scale?: string
  /** One process for each service of the Kafka profile. */
  readonly processes?: boolean
  readonly brokers?: number
  /** Flags of Node. */
  readonly flags?: readonly string[]
  readonly home?: string
  /** The folder whose programs run; by default this one. */
  readonly checkout?: string
  /** The program that starts it; by default the one that runs the test. */
  readonly node?: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface Installation {
  readonly ready: ReadyLine
  readonly home: string
  readonly supervisor: ChildProcess
  /** Time from the command to the ready line. */
  readonly startMs: number
  readonly output: () => string
  pids(victim: Victim): number[]
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>
  /** Kills the supervisor as a crash would. */
  killSupervisor(): Promise<void>
}

/** Only a hang takes longer. */
const START_TIMEOUT_MS = 240_000
const STOP_TIMEOUT_MS = 120_000

/** A folder that an unprivileged database user may traverse. Removed by `removeHome`. */
export function createHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-system-'))
  chmodSync(folder, 0o711)
  return folder
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true })
}

export async function startInstallation(options: StartOptions = {}): Promise<Installation> {
  const home = options.home ?? createHome()
  const startedAt = Date.now()
  const folder = options.checkout ?? checkout
  const args = [...(options.flags ?? []), join(folder, 'scripts/start.mjs'), '--json']
  if (options.kafka === true) args.push('--kafka')
  if (options.kafka === true && options.brokers !== undefined) args.push('--brokers', String(options.brokers))
  if (options.scale !== undefined) args.push('--scale', options.scale)
  if (options.processes === true) args.push('--processes')
  const child = spawn(options.node ?? process.execPath, args, {
    cwd: folder,
    env: environmentFor(home, options.environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-200_000)))
  const ready = await readyLine(child, () => errors)
  return {
    ready,
    home,
    supervisor: child,
    startMs: Date.now() - startedAt,
    output: () => errors,
    pids: (victim) => findVictims(child.pid!, victim),
    stop: () => end(child, 'SIGTERM'),
    killSupervisor: async () => void (await end(child, 'SIGKILL')),
  }
}

/** Environment of a started process: the caller's without its Cupel settings, plus the settings of the test. */
export function environmentFor(
  home: string,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CUPEL_') && name !== 'NODE_OPTIONS',
  )
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    CUPEL_HOME: home,
    CUPEL_PORT: '0',
    // A test ends before the optimising compiler of the broker pays off.
    CUPEL_LOCAL_BROKER_COMPILER: 'quick',
    ...extra,
  }
}

function readyLine(child: ChildProcess, errors: () => string): Promise<ReadyLine> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`not ready within ${START_TIMEOUT_MS} ms:\n${errors()}`))
    }, START_TIMEOUT_MS)
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const end = text.indexOf('\n')
      if (end === -1) return
      clearTimeout(timer)
      resolve(JSON.parse(text.slice(0, end)) as ReadyLine)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`ended with exit code ${code} before it was ready:\n${errors()}`))
    })
  })
}

function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code)
    })
    child.kill(signal)
  })
}
