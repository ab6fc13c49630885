/** Test programs that run in their own process until a failpoint kills it. */
import { spawn } from 'node:child_process'
import { programArguments } from './test-program.js'

/**
 * Runs the TypeScript program with these arguments, on the sources of the workspace. Resolves once the failpoint has killed the
 * process; rejects with the standard error of the process if it ended in another way.
 * @param failpoint such as `before:policy.activate:1`
 */
export async function killedAt(program: URL, args: readonly string[], failpoint: string): Promise<void> {
  const child = spawn(process.execPath, [...(await programArguments(program)), ...args], {
    env: { ...process.env, CUPEL_FAILPOINT: failpoint },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, killedBy) => resolve([exitCode, killedBy]))
  })
  if (signal !== 'SIGKILL')
    throw new Error(`The process ended with ${code ?? signal}, not at ${failpoint}: ${complaint}`)
}
