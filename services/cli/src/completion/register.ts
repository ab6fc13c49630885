/** `cupel completion`: a script for the shell. */
import { Argument, type Command } from 'commander'
import type { CliContext } from '@cupel/command-line'
import { completionScript, shells, type Shell } from './completion.js'

/** `whole`: a program with all groups; that of a call has only its own. */
export function registerCompletion(
  program: Command,
  context: CliContext,
  whole: () => Promise<Command>,
): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .summary('print a script that completes commands in a shell')
    .description(
      `Prints a script that completes commands and options: source <(cupel completion bash), the same with zsh, or
cupel completion fish | source.`,
    )
    .action(async (shell: Shell) => {
      context.print(completionScript(await whole(), shell))
    })
}
