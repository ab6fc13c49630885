/** `cupel log signing-keys` and `rotate-signing-key`. */
import { signingKeysFile } from '@cupel/checkpoints'
import { readSigningKeys, rotateSigningKey, SigningKeysError, verifierKey } from '@cupel/signing'
import type { Command } from 'commander'
import { answer, table, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_CONFIG } from '../explain.js'

export function registerSigningKeys(log: Command, context: CliContext): void {
  const file = async (): Promise<string> =>
    signingKeysFile({ ...(await context.config()), CUPEL_HOME: context.home })
  log
    .command('signing-keys')
    .summary('show the public keys that auditors check with')
    .description(
      'Shows the public keys of checkpoints, one line each as C2SP verifiers take them. Give them to auditors yourself.',
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const path = await file()
      const { signer, publicKeys } = ofFile(() => readSigningKeys(path))
      const keys = publicKeys.map((key) => {
        const { id, createdAt } = key
        return {
          key_id: id,
          created_at: createdAt,
          is_active: id === signer.key.id,
          verifier_key: verifierKey(key),
        }
      })
      answer(context, options, { keys }, () =>
        table([
          ['CREATED', 'ACTIVE', 'VERIFIER KEY'],
          ...keys.map((key) => [key.created_at, key.is_active ? 'yes' : '', key.verifier_key]),
        ]),
      )
    })
  log
    .command('rotate-signing-key')
    .summary('sign with a new key')
    .description(
      `Adds a key to the file, or makes the file, and deletes the private half of the earlier ones. Processes sign with the new key from their next start
on, and publish it then (SigningKeyPublished).`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const path = await file()
      const key = ofFile(() => rotateSigningKey(path))
      answer(context, options, { key_id: key.id, verifier_key: verifierKey(key) }, () =>
        [`${verifierKey(key)}`, 'It signs from the next start on. Give this line to your auditors.'].join(
          '\n',
        ),
      )
    })
}

function ofFile<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof SigningKeysError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}
