/** The operator's command line: `cupel <command>`. */
import { pathToFileURL } from 'node:url'
import { createContext, explain } from '@cupel/command-line'
import { createProgram } from './program.js'
import { runCommand } from './run-command.js'

/** Runs one command; prints an error in one sentence, with --json as `{"error": …}` too, and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const context = createContext(process.env, args)
  await runCommand(args, { context, program: () => createProgram(context, args), explain })
}

const script = process.argv[1]
if (script !== undefined && import.meta.url === pathToFileURL(script).href) await main(process.argv.slice(2))
