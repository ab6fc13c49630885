/** The operator's command line: `cupel <command>`. */
import { pathToFileURL } from 'node:url'
import { createContext } from './context.js'
import { explain } from './explain.js'
import { createProgram } from './program.js'
import { tolerateClosedPipes } from './standard-output.js'

/** Runs one command; prints an error in one sentence and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  tolerateClosedPipes()
  const context = createContext(process.env, args)
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' })
  } catch (error) {
    const { sentence, exitCode } = explain(error)
    if (sentence !== '') process.stderr.write(`${sentence}\n`)
    if (context.verbose && error instanceof Error && sentence !== '') process.stderr.write(`${error.stack}\n`)
    process.exitCode = exitCode
  }
}

const script = process.argv[1]
if (script !== undefined && import.meta.url === pathToFileURL(script).href) await main(process.argv.slice(2))
