/** The tree of all commands. Each group registers itself in its own file. */
import { Command } from 'commander'
import type { CliContext } from './context.js'
import { registerAccounts } from './accounts/register.js'
import { registerAudit } from './audit/register.js'
import { registerBulk } from './bulk/register.js'
import { registerDeadLetters } from './dead-letters/register.js'
import { registerKeys } from './keys/register.js'
import { registerLabels } from './labels/register.js'
import { registerLedger } from './ledger/register.js'
import { registerPolicy } from './policy/register.js'
import { registerPrices } from './prices/register.js'
import { registerReport } from './report/register.js'
import { registerScreen } from './screen/register.js'
import { registerStart } from './start/register.js'
import { registerStatus } from './status/register.js'
import { registerWebhooks } from './webhooks/register.js'

const VERSION = '0.1.0'

const groups = [
  registerStart,
  registerStatus,
  registerScreen,
  registerReport,
  registerBulk,
  registerAccounts,
  registerKeys,
  registerWebhooks,
  registerLabels,
  registerLedger,
  registerPrices,
  registerPolicy,
  registerAudit,
  registerDeadLetters,
]

export function createProgram(context: CliContext): Command {
  const program = new Command('cupel')
    .description('Wallet risk screening: start and operate an installation.')
    .version(VERSION)
    .option('--verbose', 'show logs and the details of errors')
    .showHelpAfterError('(cupel --help lists the commands)')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', FOOTER)
    .exitOverride()
  for (const register of groups) register(program, context)
  return program
}

const FOOTER = `
Every command takes --json and --help. Commands work whether or not the service runs.
Settings come from the environment: CUPEL_HOME (default .cupel), CUPEL_PORT (default 8080), and the rest of docs/reference.`
