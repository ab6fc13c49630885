/** A scorer in a process of its own that dies at a failpoint. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('./scorer-child.ts', import.meta.url))

/** Resolves once the process was killed at the failpoint; rejects where it ended otherwise. */
export async function runUntilKilled(connectionString: string, failpoint: string): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions', 'cupel-source', SCRIPT, connectionString],
    {
      env: { ...process.env, CUPEL_FAILPOINT: failpoint },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (_code, by) => resolve(by))
  })
  if (signal !== 'SIGKILL') throw new Error(`The scorer was to die at ${failpoint}: ${complaint}`)
}
