/** The commands that need an address and a key of an installation, and nothing else of it. */
import { registerBulk } from '@cupel/bulk/commands'
import { registerCases } from '@cupel/cases/commands'
import type { CliContext } from '@cupel/command-line'
import { registerVerifyWithoutPdf } from '@cupel/evidence/commands'
import { registerReport } from '@cupel/reports/commands'
import { registerScreen, registerTransfers } from '@cupel/screening/commands'
import { registerWatches } from '@cupel/watches/commands'
import { registerListen } from '@cupel/webhooks/commands'
import type { Command } from 'commander'
import { baseProgram } from '../base-program.js'
import { registerCompletion } from '../completion/register.js'

const FOOTER = `
Every command takes --json and --help. CUPEL_BASE_URL is the address of the installation, CUPEL_API_KEY a key of your account.`

/** In the order of the help. */
const groups: readonly ((program: Command, context: CliContext) => void)[] = [
  registerScreen,
  registerTransfers,
  registerReport,
  registerBulk,
  registerWatches,
  registerCases,
  registerListen,
  // The fonts and the layout of PDFs are many times larger than the other commands.
  registerVerifyWithoutPdf,
]

export function createClientProgram(context: CliContext): Command {
  const program = baseProgram('Wallet risk screening: call an installation.', FOOTER)
  for (const register of groups) register(program, context)
  registerCompletion(program, context, async () => createClientProgram(context))
  return program
}
