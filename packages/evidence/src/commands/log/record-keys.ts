/** `cupel log add-key` and `use-key`: the file of the record keys. */
import { addRecordKey, RecordKeysError, useRecordKey } from '@cupel/event-log'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext, CommandError, EXIT_CONFIG } from '@cupel/command-line'
import { homeRecordKeys } from '@cupel/command-line/installation'

export function registerRecordKeys(log: Command, context: CliContext): void {
  const file = async (): Promise<string> =>
    (await context.config()).CUPEL_RECORD_KEYS_FILE ?? homeRecordKeys(context.home)
  log
    .command('add-key')
    .summary('add a record key that nothing uses yet')
    .description(
      `Adds a key to the file of CUPEL_RECORD_KEYS_FILE, or of the home. Makes the file if there is none. Give the file to
every process, register the key with \`cupel log register-keys\`, then use it.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const path = await file()
      const keyId = ofFile(() => addRecordKey(path))
      answer(context, options, { key_id: keyId, file: path }, () => `Added ${keyId} to ${path}.`)
    })
  log
    .command('use-key <id>')
    .summary('make new records with another key')
    .description('Makes a key of the file the active one. A process uses it from its next start on.')
    .option('--json', 'answer in JSON')
    .action(async (keyId: string, options: JsonOption) => {
      const path = await file()
      ofFile(() => useRecordKey(path, keyId))
      answer(context, options, { key_id: keyId, file: path }, () => `${keyId} is the active key of ${path}.`)
    })
}

function ofFile<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof RecordKeysError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}
