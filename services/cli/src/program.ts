/** The tree of all commands. Each group registers itself in its own file. */
import type { Command } from 'commander'
import type { CliContext } from '@cupel/command-line'
import { baseProgram } from './base-program.js'

type Register = (program: Command, context: CliContext) => void

/** By the first word of their commands, in the order of the help. */
const groups: Readonly<Record<string, () => Promise<Register>>> = {
  start: async () => (await import('./start/register.js')).registerStart,
  install: async () => (await import('@cupel/operation/commands')).registerInstall,
  upgrade: async () => (await import('@cupel/operation/commands')).registerUpgrade,
  restore: async () => (await import('@cupel/operation/commands')).registerRestore,
  status: async () => (await import('@cupel/operation/commands')).registerStatus,
  doctor: async () => (await import('@cupel/operation/commands')).registerDoctor,
  'support-bundle': async () => (await import('@cupel/operation/commands')).registerSupportBundle,
  screen: async () => (await import('@cupel/screening/commands')).registerScreen,
  transfers: async () => (await import('@cupel/screening/commands')).registerTransfers,
  explain: async () => (await import('@cupel/evidence/commands')).registerExplain,
  report: async () => (await import('@cupel/reports/commands')).registerReport,
  bulk: async () => (await import('@cupel/bulk/commands')).registerBulk,
  watches: async () => (await import('@cupel/watches/commands')).registerWatches,
  cases: async () => (await import('@cupel/cases/commands')).registerCases,
  listen: async () => (await import('@cupel/webhooks/commands')).registerListen,
  completion: async () => {
    const { registerCompletion } = await import('./completion/register.js')
    return (program, context) => registerCompletion(program, context, () => createProgram(context, []))
  },
  accounts: async () => (await import('@cupel/personal-data/commands')).registerAccounts,
  keys: async () => (await import('@cupel/gate/commands')).registerKeys,
  webhooks: async () => (await import('@cupel/webhooks/commands')).registerWebhooks,
  demo: async () => (await import('@cupel/labels/commands')).registerDemo,
  labels: async () => (await import('@cupel/labels/commands')).registerLabels,
  ledger: async () => (await import('@cupel/ledger/commands')).registerLedger,
  'chain-data': async () => (await import('@cupel/chain-data/commands')).registerChainData,
  prices: async () => (await import('@cupel/ledger/commands')).registerPrices,
  policy: async () => (await import('@cupel/policy/commands')).registerPolicy,
  audit: async () => (await import('@cupel/evidence/commands')).registerAudit,
  verify: async () => (await import('@cupel/evidence/commands')).registerVerify,
  archive: async () => (await import('@cupel/archive/commands')).registerArchive,
  retention: async () => (await import('@cupel/archive/commands')).registerRetention,
  log: async () => (await import('@cupel/evidence/commands')).registerLog,
  'dead-letters': async () => (await import('@cupel/operation/commands')).registerDeadLetters,
}

/** Loads only the group of this command, because all groups take most of a second. Help and unknown commands load all of them. */
export async function createProgram(context: CliContext, args: readonly string[]): Promise<Command> {
  const program = baseProgram('Wallet risk screening: start and operate an installation.', FOOTER)
  const named = args.find((arg) => !arg.startsWith('-')) ?? ''
  for (const register of await Promise.all(groupsOf(named, args).map((load) => load())))
    register(program, context)
  return program
}

function groupsOf(named: string, args: readonly string[]): readonly (() => Promise<Register>)[] {
  if (Object.hasOwn(groups, named)) return [groups[named]!]
  return named === '' && args.includes('--version') ? [] : Object.values(groups)
}

const FOOTER = `
Every command takes --json and --help. Commands work whether or not the service runs.
Those that call it use CUPEL_API_KEY, or the demo key of the installation on CUPEL_HOME.
Settings come from the environment: CUPEL_HOME (default .cupel), CUPEL_PORT (default 8080), and the rest of docs/reference.`
