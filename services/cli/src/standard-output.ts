/** Standard output, whose reader may leave before the answer is complete, as `head` does. */
import { once } from 'node:events'

/** Nobody reads the answer any more. That is no failure: the command ends in order and says nothing. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError'
}

let isClosed = false

/** Call it once, before the first write. Without it a closed pipe ends the process with a stack trace. */
export function tolerateClosedPipes(): void {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error
  }
  process.stderr.on('error', onError)
  process.stdout.on('error', (error) => {
    onError(error)
    isClosed = true
  })
}

/** Throws OutputClosedError, so that a command does not go on for a reader that has left. */
export function printLine(text: string): void {
  if (isClosed) throw new OutputClosedError()
  process.stdout.write(`${text}\n`)
}

/** A slow reader slows the command down; nothing piles up here. Rejects with OutputClosedError. */
export async function drained(): Promise<void> {
  if (!process.stdout.writableNeedDrain) return
  await once(process.stdout, 'drain').catch((error: unknown) => {
    throw isClosed ? new OutputClosedError() : error
  })
}
