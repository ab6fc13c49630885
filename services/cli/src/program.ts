/** The tree of all commands. Each group registers itself in its own file. */
import { Command } from 'commander'
import type { CliContext } from './context.js'
import { VERSION } from './version.js'

type Register = (program: Command, context: CliContext) => void

/** By the first word of their commands, in the order of the help. */
const groups: Readonly<Record<string, () => Promise<Register>>> = {
  start: async () => (await import('./start/register.js')).registerStart,
  install: async () => (await import('./install/register.js')).registerInstall,
  upgrade: async () => (await import('./install/register.js')).registerUpgrade,
  restore: async () => (await import('./restore/register.js')).registerRestore,
  status: async () => (await import('./status/register.js')).registerStatus,
  doctor: async () => (await import('./doctor/register.js')).registerDoctor,
  'support-bundle': async () => (await import('./support-bundle/register.js')).registerSupportBundle,
  screen: async () => (await import('./screen/register.js')).registerScreen,
  transfers: async () => (await import('./transfers/register.js')).registerTransfers,
  explain: async () => (await import('./explain-change/register.js')).registerExplain,
  report: async () => (await import('./report/register.js')).registerReport,
  bulk: async () => (await import('./bulk/register.js')).registerBulk,
  watches: async () => (await import('./watches/register.js')).registerWatches,
  cases: async () => (await import('./cases/register.js')).registerCases,
  listen: async () => (await import('./listen/register.js')).registerListen,
  completion: async () => {
    const { registerCompletion } = await import('./completion/register.js')
    return (program, context) => registerCompletion(program, context, () => createProgram(context, []))
  },
  accounts: async () => (await import('./accounts/register.js')).registerAccounts,
  keys: async () => (await import('./keys/register.js')).registerKeys,
  webhooks: async () => (await import('./webhooks/register.js')).registerWebhooks,
  demo: async () => (await import('./demo/register.js')).registerDemo,
  labels: async () => (await import('./labels/register.js')).registerLabels,
  ledger: async () => (await import('./ledger/register.js')).registerLedger,
  'chain-data': async () => (await import('./chain-data/register.js')).registerChainData,
  prices: async () => (await import('./prices/register.js')).registerPrices,
  policy: async () => (await import('./policy/register.js')).registerPolicy,
  audit: async () => (await import('./audit/register.js')).registerAudit,
  verify: async () => (await import('./verify/register.js')).registerVerify,
  archive: async () => (await import('./archive/register.js')).registerArchive,
  retention: async () => (await import('./retention/register.js')).registerRetention,
  log: async () => (await import('./log/register.js')).registerLog,
  'dead-letters': async () => (await import('./dead-letters/register.js')).registerDeadLetters,
}

/** Loads only the group of this command, because all groups take most of a second. Help and unknown commands load all of them. */
export async function createProgram(context: CliContext, args: readonly string[]): Promise<Command> {
  const program = new Command('cupel')
    .description('Wallet risk screening: start and operate an installation.')
    .version(VERSION)
    .option('--verbose', 'show logs and the details of errors')
    .showHelpAfterError('(cupel --help lists the commands)')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', FOOTER)
    .exitOverride()
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
Settings come from the environment: CUPEL_HOME (default .cupel), CUPEL_PORT (default 8080), and the rest of docs/reference.`
