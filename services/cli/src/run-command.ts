/** Runs one command of a tree of commands, as a process. */
import {
  type CliContext,
  type Explanation,
  hasAnswered,
  noteLine,
  OutputClosedError,
  printLine,
  tolerateClosedPipes,
} from '@cupel/command-line'
import type { Command } from 'commander'

export interface CommandTree {
  readonly context: CliContext
  readonly program: () => Promise<Command>
  readonly explain: (error: unknown) => Explanation | Promise<Explanation>
}

/** Prints an error in one sentence, with --json as `{"error": …}` too, and sets the exit code. */
export async function runCommand(
  args: readonly string[],
  { context, program, explain }: CommandTree,
): Promise<void> {
  tolerateClosedPipes()
  try {
    await (await program()).parseAsync([...args], { from: 'user' })
  } catch (error) {
    const { sentence, exitCode } = await explain(error)
    if (sentence !== '') noteLine(sentence)
    if (context.verbose && error instanceof Error && sentence !== '') noteLine(String(error.stack))
    if (args.includes('--json') && args[0] !== 'start') answerError(error, { sentence, exitCode })
    process.exitCode = exitCode
  }
}

/**
 * A program that reads the answer gets the error there too, if the command has answered nothing yet. For a start, such a program reads only
 * the ready line.
 */
function answerError(error: unknown, { sentence, exitCode }: Explanation): void {
  if (exitCode === 0 || hasAnswered() || error instanceof OutputClosedError) return
  const message = sentence === '' && error instanceof Error ? error.message : sentence
  printLine(JSON.stringify({ error: { message, exit_code: exitCode } }))
}
