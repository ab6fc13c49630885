/** `cupel ledger`: transfers of value, which exposure is measured on. */
import type { Command } from 'commander'
import type { CliContext } from '../context.js'
import { registerImport } from './import.js'
import { registerSegments } from './segments.js'

export function registerLedger(program: Command, context: CliContext): void {
  const ledger = program
    .command('ledger')
    .summary('import transfers, on which exposure is measured')
    .description(
      'Import transfers between addresses, on which exposure is measured, and see what was imported.',
    )
  registerImport(ledger, context)
  registerSegments(ledger, context)
}
