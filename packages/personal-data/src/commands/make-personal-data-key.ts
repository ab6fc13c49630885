/** `cupel accounts make-personal-data-key`: the file of keys, for installations that `cupel start` does not run. */
import { ensureMasterKeys } from '../index.js'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext } from '@cupel/command-line'
import { homePersonalDataKeys } from '@cupel/command-line/installation'

export function registerMakePersonalDataKey(accounts: Command, context: CliContext): void {
  accounts
    .command('make-personal-data-key')
    .summary('make the file with the key that wraps the keys of personal data')
    .description(
      `Makes the file of CUPEL_PERSONAL_DATA_KEYS_FILE, or of the home, with a new key, if there is no file. Give it to the API and the
webhook dispatcher before they start, and back it up apart from the database.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const file =
        (await context.config()).CUPEL_PERSONAL_DATA_KEYS_FILE ?? homePersonalDataKeys(context.home)
      const { activeId } = ensureMasterKeys(file)
      answer(context, options, { key_id: activeId, file }, () => `${file} holds the key ${activeId}.`)
    })
}
