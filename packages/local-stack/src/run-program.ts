/** Runs a short program to its end in a process group of its own: a Ctrl-C in the terminal must not interrupt it. */
import { spawn } from 'node:child_process'

export interface ProgramOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Only root may set it. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

/** The program failed, or could not be run. `output` is its output, standard error first. */
export class ProgramFailed extends Error {
  override readonly name = 'ProgramFailed'
  readonly output: string
  constructor(message: string, output: string, options?: { cause: unknown }) {
    super(message, options)
    this.output = output
  }
}

/** Rejects with ProgramFailed unless the program ends with 0. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, user }: ProgramOptions,
): Promise<void> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...user })
  const written = { out: '', error: '' }
  child.stdout.on('data', (chunk: Buffer) => (written.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (written.error += chunk.toString()))
  const output = (): string => `${written.error}\n${written.out}`
  await new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(new ProgramFailed(cause.message, output(), { cause })))
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new ProgramFailed(`${command} ended with ${signal ?? code}`, output()))
    })
  })
}
