/** What every tree of commands has. */
import { VERSION } from '@cupel/command-line'
import { Command } from 'commander'

export const baseProgram = (description: string, footer: string): Command =>
  new Command('cupel')
    .description(description)
    .version(VERSION)
    .option('--verbose', 'show logs and the details of errors')
    .showHelpAfterError('(cupel --help lists the commands)')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', footer)
    .exitOverride()
    .hook('preAction', (_, command) => takeOptionsFromAround(command))

/** `cupel watches add … --json`: commander gives an option that both have to the command around, which is not run. */
function takeOptionsFromAround(command: Command): void {
  for (let around = command.parent; around !== null; around = around.parent)
    for (const name of command.options.map((option) => option.attributeName()))
      if (around.getOptionValueSource(name) === 'cli')
        command.setOptionValueWithSource(name, around.getOptionValue(name) as unknown, 'cli')
}
