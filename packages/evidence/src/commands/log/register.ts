/** `cupel log`: which records of the log count, and the evidence of its contents. */
import type { Command } from 'commander'
import type { CliContext } from '@cupel/command-line'
import { registerAdopt } from './adopt.js'
import { registerAcceptShorter } from './accept-shorter.js'
import { registerPolicy } from './policy.js'
import { registerRebuildLatestReports } from './rebuild-latest-reports.js'
import { registerRecordKeys } from './record-keys.js'
import { registerRegisterKeys } from './register-keys.js'
import { registerSigningKeys } from './signing-keys.js'

export function registerLog(program: Command, context: CliContext): void {
  const log = program
    .command('log')
    .summary('which records of the log count')
    .description('Exchange keys, and accept a log that lost its end or a copy of it.')
  registerRecordKeys(log, context)
  registerRegisterKeys(log, context)
  registerAcceptShorter(log, context)
  registerAdopt(log, context)
  registerRebuildLatestReports(log, context)
  registerSigningKeys(log, context)
  registerPolicy(log, context)
}
