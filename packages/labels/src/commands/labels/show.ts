/** `cupel labels show`: all labels of an address, as they were valid and as they were known at any time. */
import { parseAddress, type ParsedAddress } from '@cupel/domain'
import { listSets, showLabels, type Label } from '../../read-model/index.js'
import { labelsText } from './labels-text.js'
import { InvalidArgumentError, type Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'

interface ShowOptions extends JsonOption {
  readonly chain?: string
  readonly validAt?: string
  readonly knownAt?: string
}

export function registerShow(labels: Command, context: CliContext): void {
  labels
    .command('show <address>')
    .summary('show the present and past labels of an address')
    .description(
      'Show every label of an address, including ended and historical ones. The two times are independent: ' +
        'when a label was valid, and when it was known here.',
    )
    .option('--chain <code>', 'chain of the address; by default it is detected')
    .option('--valid-at <date>', 'only labels valid at this time (a date means its first moment, UTC)', time)
    .option('--known-at <date>', 'only labels known here at this time', time)
    .option('--json', 'answer in JSON')
    .action(async (text: string, options: ShowOptions) => {
      const address = parsed(text, options.chain)
      const { validAt, knownAt } = options
      const { found, sets } = await withConnections(context, async ({ database }) => ({
        found: await showLabels(database, {
          lookupKeys: [address.lookupKey],
          ...(validAt === undefined ? {} : { validAt }),
          ...(knownAt === undefined ? {} : { knownAt }),
        }),
        sets: await listSets(database),
      }))
      const json = {
        address: text,
        chain: address.chain,
        canonical_address: address.canonical,
        items: found.map(labelJson),
      }
      answer(context, options, json, () =>
        labelsText(address, found, { ...options, sets, paint: context.paint }),
      )
    })
}

function parsed(text: string, chain: string | undefined): ParsedAddress {
  const address = parseAddress(text, chain)
  if (!address.ok) throw new CommandError(address.detail, EXIT_USAGE)
  return address
}

function labelJson({ confidencePpm, sanction, ...rest }: Label): unknown {
  return {
    ...snakeCase(rest),
    sanction: sanction === null ? null : snakeCase(sanction),
    confidence: confidencePpm / 1_000_000,
  }
}

function time(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('It must be a date or an RFC 3339 time.')
  }
  return text
}
