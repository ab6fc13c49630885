/** The operator's command line: `cupel <command>`. */
import { pathToFileURL } from 'node:url'
import {
  createContext,
  explain,
  type Explanation,
  hasAnswered,
  noteLine,
  OutputClosedError,
  printLine,
  tolerateClosedPipes,
} from '@cupel/command-line'
import { createProgram } from './program.js'

/** Runs one command; prints an error in one sentence, with --json as `{"error": …}` too, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  tolerateClosedPipes()
  const context = createContext(process.env, args)
  try {
    const program = await createProgram(context, args)
    await program.parseAsync([...args], { from: 'user' })
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

const script = process.argv[1]
if (script !== undefined && import.meta.url === pathToFileURL(script).href) await main(process.argv.slice(2))
