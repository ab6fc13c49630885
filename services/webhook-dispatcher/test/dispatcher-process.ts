/** Processes of the kill tests. */
import { spawn, type ChildProcess } from 'node:child_process'
import { programArguments } from '@cupel/testkit'

const PROGRAM = new URL('./dispatcher-child.ts', import.meta.url)

export async function startChild(connectionString: string): Promise<ChildProcess> {
  const args = [...(await programArguments(PROGRAM)), connectionString]
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Resolves once the process was killed; rejects if it ended otherwise. */
export async function killed(child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr!.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (_code, by) => resolve(by))
  })
  if (signal !== 'SIGKILL') throw new Error(`The process was to be killed: ${complaint}`)
}
