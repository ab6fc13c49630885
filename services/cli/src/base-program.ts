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
