/** The system under test, started and operated as a user does: `npm start -- --json` and the CLI. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

export type Profile = 'embedded' | 'kafka'

/** The line `cupel start --json` prints when everything is ready. */
export interface StartLine {
  readonly base_url: string
  readonly base_urls: readonly string[]
  /** One for each service process; only one if all services share a process. */
  readonly metrics_urls: readonly string[]
  readonly log: { readonly kind: Profile; readonly brokers?: string | readonly string[] }
  readonly home: string
}

export interface RunningSystem {
  readonly profile: Profile
  readonly pid: number
  readonly line: StartLine
  /** From the start of the command to its line of JSON, in milliseconds. */
  readonly readyAfterMs: number
  /** Runs a CLI command beside the running service and returns its last line of JSON. */
  cupel(...args: readonly string[]): Promise<CommandResult>
  stop(): Promise<void>
}

export interface CommandResult {
  readonly json: Record<string, unknown>
  readonly tookMs: number
  /** Processor time, user and system, of the process and of the children it waited for. Null if the machine does not report it. */
  readonly processorMs: number | null
}

export interface SystemOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly home: string
  readonly profile: Profile
  /** Of the Kafka profile: 1 or 3. By default 1. */
  readonly brokers?: number
}

const START_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 60_000

export async function startSystem(options: SystemOptions): Promise<RunningSystem> {
  const args = [
    ...(await startCommand(options.root)),
    '--json',
    ...(options.profile === 'kafka' ? ['--kafka', '--brokers', String(options.brokers ?? 1)] : []),
  ]
  const since = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: options.root,
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = collect(child)
  const line = await startLine(child, errors)
  return {
    profile: options.profile,
    pid: child.pid!,
    line,
    readyAfterMs: Math.round(performance.now() - since),
    cupel: (...command) => runCommand(options, command),
    stop: () => stopped(child),
  }
}

/** A key of a new account. The limits of the enterprise plan are far above the speed of one machine, so they do not affect figures. */
export async function enterpriseKey(system: RunningSystem, account: string): Promise<string> {
  const { json: opened } = await system.cupel('accounts', 'create', account)
  const { json: issued } = await system.cupel(
    ...['keys', 'create', '--account', String(opened['account_id'])],
    ...['--scope', 'read-write', '--plan', 'enterprise'],
  )
  return String(issued['key'])
}

/** The command of `npm start` with its flags of Node, without npm, whose start would add to the figures. */
async function startCommand(root: string): Promise<readonly string[]> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const [before, ...args] = scripts.start.split(/\bnode /)
  if (before === undefined || args.length !== 1)
    throw new Error(`npm start is not one node command: ${scripts.start}`)
  return args[0]!.split(' ')
}

function environment(options: SystemOptions): NodeJS.ProcessEnv {
  return { ...process.env, CUPEL_HOME: options.home, CUPEL_PORT: '0', CUPEL_LOG_LEVEL: 'warn' }
}

function startLine(child: ChildProcess, errors: () => string): Promise<StartLine> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`The system was not ready after ${START_TIMEOUT_MS / 1_000} s.\n${errors()}`))
    }, START_TIMEOUT_MS)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`The system ended with code ${code} before it was ready.\n${errors()}`))
    })
    createInterface({ input: child.stdout! }).on('line', (text) => {
      const parsed = readJson(text)
      if (parsed === null || !('base_url' in parsed)) return
      clearTimeout(timer)
      child.removeAllListeners('exit')
      resolve(parsed as unknown as StartLine)
    })
  })
}

async function runCommand(options: SystemOptions, args: readonly string[]): Promise<CommandResult> {
  const since = performance.now()
  const spentBefore = endedChildrenMs()
  const child = spawn(process.execPath, [join(options.root, 'scripts', 'cupel.mjs'), ...args, '--json'], {
    cwd: options.root,
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const errors = collect(child)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const tookMs = performance.now() - since
  if (code !== 0) throw new Error(`cupel ${args.join(' ')} ended with code ${code}.\n${output}\n${errors()}`)
  const json = readJson(output.trim()) ?? readJson(output.trim().split('\n').at(-1) ?? '')
  if (json === null) throw new Error(`cupel ${args.join(' ')} printed no JSON:\n${output}`)
  const spentAfter = endedChildrenMs()
  const processorMs = spentBefore === null || spentAfter === null ? null : spentAfter - spentBefore
  return { json, tookMs, processorMs }
}

/** Linux counts in hundredths of a second, whatever its own tick is. */
const CLOCK_TICK_MS = 10

/** Processor time of the children that ended (proc(5): fields 16 and 17, cutime and cstime). */
function endedChildrenMs(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * CLOCK_TICK_MS
  } catch {
    // Not Linux.
    return null
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}

/** Keeps the end of a process's stderr for error messages. */
function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr!.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-4_000)))
  return () => text
}

function readJson(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
