/** The system under test, started and operated as a user does: the command of `npm start -- --json`, and the CLI. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Profile = 'embedded' | 'kafka'

/** The line `cupel start --json` prints when everything is ready. */
export interface StartLine {
  readonly base_url: string
  readonly base_urls: readonly string[]
  /** One for each service process; only one if all services share a process. */
  readonly metrics_urls: readonly string[]
}

export interface RunningSystem {
  readonly profile: Profile
  readonly home: string
  readonly pid: number
  readonly line: StartLine
  /** From the start of the command to its line of JSON, in milliseconds. */
  readonly readyAfterMs: number
  /** Runs a CLI command against the running service and returns its last line of JSON. */
  cupel(...args: readonly string[]): Promise<CommandResult>
  stop(): Promise<void>
}

export interface CommandResult {
  readonly json: Readonly<Record<string, unknown>>
  readonly seconds: number
  /** Processor time of the process and of the children it waited for. Null if the machine does not report it. */
  readonly processorSeconds: number | null
}

export interface SystemOptions {
  /** Folder of the checkout. */
  readonly root: string
  /** Of the Kafka profile: 1 or 3. */
  readonly brokers: number
}

const START_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 60_000

/** Runs `work` with the home folder of an installation, and removes it afterwards. */
export async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-'))
  try {
    return await work(home)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Runs `work` on a new installation and removes it afterwards. */
export function withSystem<T>(
  options: SystemOptions,
  profile: Profile,
  work: (system: RunningSystem) => Promise<T>,
): Promise<T> {
  return withHome(async (home) => {
    const system = await startSystem(options, profile, home)
    try {
      return await work(system)
    } finally {
      await system.stop()
    }
  })
}

export async function startSystem(
  { root, brokers }: SystemOptions,
  profile: Profile,
  home: string,
): Promise<RunningSystem> {
  const env = { ...process.env, CUPEL_HOME: home, CUPEL_PORT: '0', CUPEL_LOG_LEVEL: 'warn' }
  const args = [
    ...(await startCommand(root)),
    '--json',
    ...(profile === 'kafka' ? ['--kafka', '--brokers', String(brokers)] : []),
  ]
  const since = performance.now()
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const line = await startLine(child, endOf(child))
  return {
    ...{ profile, home, pid: child.pid!, line, readyAfterMs: Math.round(performance.now() - since) },
    cupel: (...command) => runCommand(root, env, command),
    stop: () => stopped(child),
  }
}

/** A key of a new account. The limits of the enterprise plan are far above the speed of one machine. */
export async function newKey(system: RunningSystem, account: string, plan = 'enterprise'): Promise<string> {
  const { json: opened } = await system.cupel('accounts', 'create', account)
  const owner = ['--account', String(opened['account_id'])]
  const { json } = await system.cupel('keys', 'create', ...owner, '--scope', 'read-write', '--plan', plan)
  return String(json['key'])
}

/** The command of `npm start` with its flags of Node, without npm, whose start would add to the figures. */
async function startCommand(root: string): Promise<readonly string[]> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const args = scripts.start.split(/\bnode /)[1]
  if (args === undefined) throw new Error(`npm start is not one node command: ${scripts.start}`)
  return args.split(' ')
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
      if (!text.startsWith('{"') || !text.includes('"base_url"')) return
      clearTimeout(timer)
      child.removeAllListeners('exit')
      resolve(JSON.parse(text) as StartLine)
    })
  })
}

async function runCommand(
  root: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<CommandResult> {
  const [since, spentBefore] = [performance.now(), endedChildrenSeconds()]
  const command = [join(root, 'scripts', 'cupel.mjs'), ...args, '--json']
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const errors = endOf(child)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  const seconds = (performance.now() - since) / 1_000
  if (code !== 0) throw new Error(`cupel ${args.join(' ')} ended with code ${code}.\n${output}\n${errors()}`)
  const text = output.trim()
  const json = JSON.parse(text.slice(text.startsWith('{') ? 0 : text.lastIndexOf('\n{') + 1)) as object
  const spentAfter = endedChildrenSeconds()
  const processorSeconds = spentBefore === null || spentAfter === null ? null : spentAfter - spentBefore
  return { json: json as CommandResult['json'], seconds, processorSeconds }
}

/** Processor time of the children that ended (proc(5): fields 16 and 17, in hundredths of a second). Null without /proc. */
function endedChildrenSeconds(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return null
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}

/** Keeps the end of a process's standard error for messages. */
function endOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr!.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-4_000)))
  return () => text
}
