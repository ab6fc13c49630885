/** `cupel accounts`: the accounts that own keys. */
import { createAccount, listAccounts, setAsksProviders } from '@cupel/gate/access'
import { openValue } from '../index.js'
import { Option, type Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections, operator } from '@cupel/command-line/installation'
import { registerErase } from './erase.js'
import { registerMakePersonalDataKey } from './make-personal-data-key.js'
import { registerRotatePersonalDataKey } from './rotate-personal-data-key.js'

export function registerAccounts(program: Command, context: CliContext): void {
  const accounts = program
    .command('accounts')
    .summary('open, list and erase accounts')
    .description('Open and list accounts, and erase their personal data.')

  accounts
    .command('create <name>')
    .description('Open an account. It has a live and a test environment.')
    .option('--no-providers', 'never send its addresses to a provider of chain data or histories')
    .option('--reason <text>', 'why, for the audit log', '')
    .option('--json', 'answer in JSON')
    .action(async (name: string, options: JsonOption & { reason: string; providers: boolean }) => {
      const { reason, providers: asksProviders } = options
      const account = await withConnections(
        context,
        ({ database, personalData: sealing }) =>
          createAccount(database, { name, by: operator(), reason, asksProviders, sealing }).catch(
            (error: unknown) => {
              if (error instanceof RangeError) throw new CommandError(`${error.message}.`, EXIT_USAGE)
              throw error
            },
          ),
        { creates: true },
      )
      answer(
        context,
        options,
        snakeCase(account),
        () => `Opened account ${account.accountId} (${account.name}).`,
      )
    })

  accounts
    .command('list')
    .description('List every account, oldest first.')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const found = await withConnections(context, async ({ database, personalData }) =>
        openValue(personalData, await listAccounts(database)),
      )
      answer(context, options, { items: found.map(snakeCase) }, () =>
        table([
          ['ACCOUNT', 'NAME', 'OPENED', 'PROVIDERS'],
          ...found.map((it) => [
            it.accountId,
            it.name,
            it.createdAt,
            it.asksProviders ? 'asked' : 'never asked',
          ]),
        ]),
      )
    })
  registerSet(accounts, context)
  registerErase(accounts, context)
  registerMakePersonalDataKey(accounts, context)
  registerRotatePersonalDataKey(accounts, context)
}

function registerSet(accounts: Command, context: CliContext): void {
  accounts
    .command('set <account-id>')
    .description('Say whether providers of chain data and histories may be asked for its addresses.')
    .addOption(
      new Option('--providers <answer>', 'ask or never').choices(['ask', 'never']).makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--json', 'answer in JSON')
    .action(async (accountId: string, options: JsonOption & { providers: string; reason: string }) => {
      const asksProviders = options.providers === 'ask'
      const isKnown = await withConnections(context, ({ database, personalData: sealing }) =>
        setAsksProviders(database, {
          ...{ accountId, asksProviders, by: operator(), reason: options.reason, sealing },
        }).catch((error: unknown) => {
          if (error instanceof RangeError) throw new CommandError(`${error.message}.`, EXIT_USAGE)
          throw error
        }),
      )
      if (!isKnown) throw new CommandError(`No account ${accountId} exists.`, EXIT_NOT_FOUND)
      answer(context, options, { account_id: accountId, asks_providers: asksProviders }, () =>
        asksProviders
          ? `Providers are asked for the addresses of ${accountId}.`
          : `No provider is asked for an address of ${accountId} from now on.`,
      )
    })
}
