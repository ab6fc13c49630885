/** Standard output. Its reader may leave before the answer is complete, as `head` does. A terminal obeys the characters that it gets. */
import { once } from 'node:events'
import { forTerminal } from './paint.js'

/** The reader of the answer has left. That is not a failure: the command ends in order and prints nothing. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError'
}

let isClosed = false
let isAnswered = false

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
  isAnswered = true
  write(process.stdout, text)
}

/** A remark or an error, beside the answer. */
export function noteLine(text: string): void {
  write(process.stderr, text)
}

/** Whether a part of an answer was printed already. */
export const hasAnswered = (): boolean => isAnswered

/** Text of others, in a label or an answer of a service, must not move the cursor or hide lines. Files and pipes get the bytes. */
function write(output: NodeJS.WriteStream, text: string): void {
  output.write(`${output.isTTY ? forTerminal(text) : text}\n`)
}

/** A slow reader slows the command down; nothing piles up here. Rejects with OutputClosedError. */
export async function drained(): Promise<void> {
  if (!process.stdout.writableNeedDrain) return
  await once(process.stdout, 'drain').catch((error: unknown) => {
    throw isClosed ? new OutputClosedError() : error
  })
}
