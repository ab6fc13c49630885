/** `cupel labels show`: all labels of an address, as they were valid and as they were known at any time. */
import { parseAddress, type ParsedAddress } from '@cupel/domain'
import { showLabels, type Label } from '@cupel/read-models'
import { InvalidArgumentError, type Command } from 'commander'
import { answer, snakeCase, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_USAGE } from '../explain.js'
import { withConnections } from '../connections.js'

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
      const found = await withConnections(context, ({ database }) =>
        showLabels(database, {
          lookupKeys: [address.lookupKey],
          ...(validAt === undefined ? {} : { validAt }),
          ...(knownAt === undefined ? {} : { knownAt }),
        }),
      )
      const json = {
        address: text,
        chain: address.chain,
        canonical_address: address.canonical,
        items: found.map(labelJson),
      }
      answer(context, options, json, () => textOf(address, found, options))
    })
}

function parsed(text: string, chain: string | undefined): ParsedAddress {
  const address = parseAddress(text, chain)
  if (!address.ok) throw new CommandError(address.detail, EXIT_USAGE)
  return address
}

function labelJson(label: Label): unknown {
  const { confidencePpm, ...rest } = label
  return { ...snakeCase(rest), confidence: confidencePpm / 1_000_000 }
}

function textOf(address: ParsedAddress, labels: readonly Label[], { validAt, knownAt }: ShowOptions): string {
  const times = [
    ...(validAt === undefined ? [] : [`that held at ${validAt}`]),
    ...(knownAt === undefined ? [] : [`known here by ${knownAt}`]),
  ]
  const about = [`${address.canonical} (${address.chain})`, ...times].join(' ')
  if (labels.length === 0) return `No label of ${about}. Not listed does not mean safe.`
  const count = labels.length === 1 ? '1 label' : `${labels.length} labels`
  return [`${count} of ${about}:`, ...labels.map(paragraph)].join('\n\n')
}

function paragraph(label: Label): string {
  const { category, entity, role, confidencePpm, source, dataset, origin, kind, chain, listed } = label
  const state = listed ? 'listed' : label.historical ? 'historical, never listed here' : 'no longer listed'
  return [
    `${category}: ${entity === '' ? '(no name)' : entity}  [${state}]`,
    `  role ${role}, confidence ${confidencePpm / 1_000_000}, on ${chain}`,
    `  source ${source}/${dataset}, origin ${origin} (${kind})`,
    `  valid ${day(label.validFrom)} to ${day(label.validTo)}, observed ${day(label.observedAt)}`,
    `  known here from ${label.knownFrom} to ${label.knownTo ?? 'now'}`,
    ...(label.sourceUrl === '' ? [] : [`  ${label.sourceUrl}`]),
  ].join('\n')
}

const day = (time: string | null): string => time?.slice(0, 10) ?? 'unknown'

function time(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new InvalidArgumentError('It must be a date or an RFC 3339 time.')
  }
  return text
}
