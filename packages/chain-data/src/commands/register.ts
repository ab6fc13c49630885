/** `cupel chain-data`: the providers of chain data. */
import type { checkChainData } from '@cupel/screening/worker'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_CONFIG,
  EXIT_FAILED,
} from '@cupel/command-line'

type ProviderCheck = Awaited<ReturnType<typeof checkChainData>>[number]

const MS_PER_S = 1_000

export function registerChainData(program: Command, context: CliContext): void {
  program
    .command('chain-data')
    .summary('test the providers of chain data')
    .description('Test the providers of chain data.')
    .command('check')
    .summary('ask each provider for its newest block')
    .description(
      `Asks each provider of CUPEL_CHAIN_DATA_FILE for its newest block and for what shows its chain, and says which transfers of an address it can
give whole. No call names an address of a customer. Exits with 0 if every provider answers and with ${EXIT_FAILED} otherwise.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const { checkChainData } = await import('@cupel/screening/worker')
      const checks = await checkChainData(await context.config(), context.note)
      if (checks.length === 0)
        throw new CommandError(
          'No provider is configured: CUPEL_CHAIN_DATA_FILE names the file of providers (docs/chain-data.md).',
          EXIT_CONFIG,
        )
      answer(context, options, { items: checks.map(jsonOf) }, () => textOf(checks))
      if (checks.some(({ error }) => error !== null)) process.exitCode = EXIT_FAILED
    })
}

const timeOf = (atS: number | null): string | null =>
  atS === null ? null : new Date(atS * MS_PER_S).toISOString()

const jsonOf = ({ head, ...check }: ProviderCheck): unknown => ({
  ...snakeCase(check),
  head: head === null ? null : { height: head.height, at: timeOf(head.atS) },
})

function textOf(checks: readonly ProviderCheck[]): string {
  const rows = checks.map(({ name, kind, chain, error, detail, head, histories, incomplete, tookMs }) => [
    name,
    kind,
    chain,
    error === null ? `answers in ${tookMs} ms` : detail,
    head === null ? '' : [String(head.height), timeOf(head.atS)].filter(Boolean).join(' of '),
    histories === null
      ? 'none: a node has no list of the transfers of an address'
      : error === null
        ? [histories.join(', ') || 'none whole', ...incomplete].join('; ')
        : '',
  ])
  return table([['NAME', 'KIND', 'CHAIN', 'STATE', 'HEAD', 'WHOLE HISTORIES'], ...rows])
}
