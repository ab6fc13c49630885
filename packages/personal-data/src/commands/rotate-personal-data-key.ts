/** `cupel accounts rotate-personal-data-key`: exchanges the key of the installation that wraps the keys of personal data. */
import { rotateMasterKey } from '../index.js'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_CONFIG,
} from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'

export function registerRotatePersonalDataKey(accounts: Command, context: CliContext): void {
  accounts
    .command('rotate-personal-data-key')
    .summary('make older backups of the keys of personal data useless')
    .description(
      `Makes a key in the file of CUPEL_PERSONAL_DATA_KEYS_FILE, or of the home, wraps the keys of all accounts under it, and removes the
one before from the file. Nothing that is readable becomes unreadable, and services go on without a restart. Backups of the
schema personal_data from before can then never be opened again: make new backups of that schema and of the file at once, and
delete older copies of the file.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const rotated = await withConnections(context, async ({ database, config }) => {
        const file = config.CUPEL_PERSONAL_DATA_KEYS_FILE
        if (file === undefined)
          throw new CommandError('Set CUPEL_PERSONAL_DATA_KEYS_FILE to the file with the keys.', EXIT_CONFIG)
        return await rotateMasterKey(database, file)
      })
      answer(context, options, snakeCase(rotated), () =>
        [
          `The key of the installation is ${rotated.masterId}; ${rotated.rewrapped} keys are wrapped under it.`,
          'Back up the schema personal_data and the file now, and delete older copies of the file.',
        ].join('\n'),
      )
    })
}
