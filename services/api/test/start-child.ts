/** Runs an API in a separate process that a failpoint ends by SIGKILL. */
import { spawn, type ChildProcess } from 'node:child_process'
import { programArguments } from '@cupel/testkit'
import type { Installation } from './installation.js'

const CHILD = new URL('./api-child.ts', import.meta.url)

/** `died` resolves to the signal that ended the process. */
export async function startChild(
  { connectionString, personalDataKeysFile }: Pick<Installation, 'connectionString' | 'personalDataKeysFile'>,
  failpoint: string,
): Promise<{ url: string; died: Promise<string | null> }> {
  const child: ChildProcess = spawn(
    process.execPath,
    [...(await programArguments(CHILD)), connectionString, personalDataKeysFile],
    { env: { ...process.env, CUPEL_FAILPOINT: failpoint }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const died = new Promise<string | null>((resolve) => child.once('close', (_, by) => resolve(by)))
  const listening = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    child.once('close', (code) => reject(new Error(`The API ended with exit code ${code} before it served`)))
  })
  return { url: listening, died }
}
