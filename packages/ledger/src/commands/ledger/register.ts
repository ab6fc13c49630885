/** `cupel ledger`: the transfers that exposure is measured from. */
import type { Command } from 'commander'
import type { CliContext } from '@cupel/command-line'
import { registerFollow } from './follow.js'
import { registerFollowers } from './followers.js'
import { registerImport } from './import.js'
import { registerSegments } from './segments.js'

export function registerLedger(program: Command, context: CliContext): void {
  const ledger = program
    .command('ledger')
    .summary('import the transfers from which exposure is measured')
    .description('Import transfers between addresses, from which exposure is measured, and list the imports.')
  registerImport(ledger, context)
  registerFollow(ledger, context)
  registerFollowers(ledger, context)
  registerSegments(ledger, context)
}
