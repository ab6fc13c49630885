/** Answers of the running API, written to files. */
import { writeFile } from 'node:fs/promises'
import type { CliContext } from './context.js'
import { CommandError, EXIT_FAILED } from './explain.js'
import { bytesOfService } from './service-call.js'

/** Replaces an existing file. If the API refuses, rejects with CommandError and writes nothing. */
export async function writeAnswer(
  context: CliContext,
  path: string,
  file: string,
): Promise<{ readonly bytes: number }> {
  const answer = await bytesOfService(context, { method: 'GET', path })
  await writeFile(context.path(file), answer).catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be written.`, EXIT_FAILED, { cause })
  })
  return { bytes: answer.length }
}
