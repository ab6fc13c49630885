/** `cupel archive`: copies of the log that are kept and read elsewhere. */
import type { Command } from 'commander'
import type { CliContext } from '../context.js'
import { registerVerifyArchive } from '../audit/verify.js'
import { registerCreate } from './create.js'

export function registerArchive(program: Command, context: CliContext): void {
  const archive = program
    .command('archive')
    .summary('copy the log into a folder, and check the copy')
    .description('Copy the log into signed files that can be kept and checked elsewhere.')
  registerCreate(archive, context)
  registerVerifyArchive(archive, context)
}
