/** One call of the `cupel` command, as an operator makes it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { checkout, environmentFor, type StartOptions } from './installation.js'

export interface CommandResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export function cupel(
  home: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  program: Pick<StartOptions, 'checkout' | 'node'> = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const folder = program.checkout ?? checkout
    const child = spawn(program.node ?? process.execPath, [join(folder, 'scripts/cupel.mjs'), ...args], {
      cwd: folder,
      env: environmentFor(home, environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
}

/** Issues a key of the enterprise plan. The demo keys have the pro plan, whose ten calls a second are too few for a test. */
export async function enterpriseKey(home: string): Promise<string> {
  const created = await answerOf(home, ['accounts', 'create', 'System test'])
  const accountId = String(created['account_id'])
  const issued = await answerOf(home, [
    'keys',
    'create',
    '--account',
    accountId,
    '--scope',
    'read-write',
    '--plan',
    'enterprise',
  ])
  return String(issued['key'])
}

async function answerOf(home: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await cupel(home, [...args, '--json'])
  if (exitCode !== 0) throw new Error(`cupel ${args.join(' ')} ended with exit code ${exitCode}:\n${stderr}`)
  return JSON.parse(stdout) as Record<string, unknown>
}
