/** `cupel log signing-keys` and `rotate-signing-key`. */
import { installationKeys, signingKeysFile } from '../../transparency/index.js'
import type { Config } from '@cupel/kit/service'
import { rotateSigningKey, SigningKeysError, verifierKey } from '@cupel/signing'
import type { Command } from 'commander'
import {
  answer,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_CONFIG,
  EXIT_NOT_FOUND,
} from '@cupel/command-line'

export function registerSigningKeys(log: Command, context: CliContext): void {
  registerList(log, context)
  registerRotate(log, context)
}

async function configOf(context: CliContext): Promise<Config & { CUPEL_HOME: string }> {
  return { ...(await context.config()), CUPEL_HOME: context.home }
}

function registerList(log: Command, context: CliContext): void {
  log
    .command('signing-keys')
    .summary('show the public keys that auditors check with')
    .description(
      `Shows the public keys, one line each as C2SP verifiers take them. Give them to auditors yourself:
\`cupel audit verify --public-keys FILE\` takes a file of them.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const config = await configOf(context)
      const present = ofFile(() => installationKeys(config))
      if (present === null) throw new CommandError('This installation has no signing keys.', EXIT_NOT_FOUND)
      const keys = present.publicKeys.map((key) => ({
        ...{ key_id: key.id, created_at: key.createdAt },
        ...{ is_active: key.id === present.signer.key.id, verifier_key: verifierKey(key) },
      }))
      // A file of this output is what commands take that verify: they skip lines that begin with #.
      answer(context, options, { keys }, () =>
        keys
          .map((key) => {
            const active = key.is_active ? ', active' : ''
            return `# made ${key.created_at}${active}\n${key.verifier_key}`
          })
          .join('\n'),
      )
    })
}

function registerRotate(log: Command, context: CliContext): void {
  log
    .command('rotate-signing-key')
    .summary('sign with a new key')
    .description(
      `Adds a key to the file, or makes the file, and deletes the private half of the earlier ones. Processes sign with the new key from their next start
on, and publish it then (SigningKeyPublished).`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const config = await configOf(context)
      const key = ofFile(() => rotateSigningKey(signingKeysFile(config), config.CUPEL_LOG_PREFIX))
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
  } catch (error) {
    return refused(error)
  }
}

function refused(cause: unknown): never {
  if (!(cause instanceof SigningKeysError)) throw cause
  throw new CommandError(cause.message, EXIT_CONFIG, { cause })
}
