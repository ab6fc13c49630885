/** `cupel archive`: copies of the log that are kept and read elsewhere. */
import type { Command } from 'commander'
import type { CliContext } from '@cupel/command-line'
import { registerVerifyArchive } from '@cupel/evidence/commands'
import { registerCreate } from './create.js'
import { registerExport } from './export.js'
import { registerRestoreArchive } from './restore.js'
import { registerRetire } from './retire.js'

export function registerArchive(program: Command, context: CliContext): void {
  const archive = program
    .command('archive')
    .summary('copy the log into a folder or a store, check the copy, ask it questions, and make a log of it')
    .description(
      'Copy the log into signed files that can be kept and checked elsewhere, and from which a lost log is made again.',
    )
  registerCreate(archive, context)
  registerVerifyArchive(archive, context)
  registerExport(archive, context)
  registerRestoreArchive(archive, context)
  registerRetire(archive, context)
}
