/** The system under test, started and operated as a user does: the command of `npm start -- --json`, and the CLI. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHome, cupel, removeHome, startInstallation, type ReadyLine } from '@cupel/system-tests'

export type Profile = 'embedded' | 'kafka'

export interface RunningSystem {
  readonly profile: Profile
  readonly home: string
  readonly pid: number
  readonly line: ReadyLine
  /** From the start of the command to its line of JSON, in milliseconds. */
  readonly readyAfterMs: number
  /** Runs a CLI command against the running service. Rejects if it fails. */
  cupel(...args: readonly string[]): Promise<Command>
}

export interface Command {
  readonly json: Readonly<Record<string, unknown>>
  readonly seconds: number
  /** Processor time of the process and of the children it waited for. Null if the machine does not report it. */
  readonly processorSeconds: number | null
}

export interface SystemOptions {
  /** Folder of the checkout. */
  readonly root: string
  /** The program that runs it; by default the one that runs the benchmark. */
  readonly node?: string | undefined
  /** Of the Kafka profile: 1 or 3. */
  readonly brokers: number
  /** Whether each service of the Kafka profile has a process. */
  readonly processes?: boolean
  /** Further settings. */
  readonly environment?: Readonly<Record<string, string>>
}

/** The started broker is measured with both JIT compilers, as in service. */
const ENVIRONMENT = { CUPEL_LOG_LEVEL: 'warn', CUPEL_LOCAL_BROKER_COMPILER: 'full' }

/** Runs `work` with the home folder of an installation, and removes it afterwards. */
export async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = createHome()
  try {
    return await work(home)
  } finally {
    removeHome(home)
  }
}

/** Runs `work` on a new installation and removes it afterwards. */
export function withSystem<T>(
  { root, node = process.execPath, brokers, processes = false, environment = {} }: SystemOptions,
  profile: Profile,
  work: (system: RunningSystem) => Promise<T>,
): Promise<T> {
  const program = { checkout: root, node }
  return withHome(async (home) => {
    const installation = await startInstallation({
      ...{ ...program, home, kafka: profile === 'kafka', brokers, processes, flags: flagsOfStart(root) },
      environment: { ...ENVIRONMENT, ...environment },
    })
    const { ready: line, supervisor, startMs: readyAfterMs } = installation
    try {
      return await work({
        ...{ profile, home, pid: supervisor.pid!, line, readyAfterMs },
        cupel: (...args) => run(program, home, args),
      })
    } finally {
      await installation.stop()
    }
  })
}

/** The flags of Node that `npm start` sets. */
function flagsOfStart(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string }
  }
  return scripts.start.split(' ').filter((word) => word.startsWith('--'))
}

/** A key of a new account. The limits of the enterprise plan are far above the speed of one machine. */
export async function newKey(system: RunningSystem, account: string, plan = 'enterprise'): Promise<string> {
  const { json: opened } = await system.cupel('accounts', 'create', account)
  const owner = ['--account', String(opened['account_id'])]
  const { json } = await system.cupel('keys', 'create', ...owner, '--scope', 'read-write', '--plan', plan)
  return String(json['key'])
}

async function run(
  program: { readonly checkout: string; readonly node: string },
  home: string,
  args: readonly string[],
): Promise<Command> {
  const [since, spentBefore] = [performance.now(), endedChildrenSeconds()]
  const { exitCode, stdout, stderr } = await cupel(home, [...args, '--json'], {}, program)
  const seconds = (performance.now() - since) / 1_000
  if (exitCode !== 0) throw new Error(`cupel ${args.join(' ')} ended with code ${exitCode}.\n${stderr}`)
  // Some commands print progress first, one line of JSON each.
  const text = stdout.trim()
  const json = JSON.parse(text.slice(text.lastIndexOf('\n{') + 1)) as Command['json']
  const spentAfter = endedChildrenSeconds()
  const processorSeconds = spentBefore === null || spentAfter === null ? null : spentAfter - spentBefore
  return { json, seconds, processorSeconds }
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
