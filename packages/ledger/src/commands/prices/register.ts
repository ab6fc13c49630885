/** `cupel prices`: daily prices, which give amounts a value in US dollars. */
import { importPrices, listPriceImports, type PriceImport } from '../../index.js'
import type { Command } from 'commander'
import { answer, snakeCase, table, type JsonOption, type CliContext } from '@cupel/command-line'
import { withConnections, operator } from '@cupel/command-line/installation'
import { readableFile, readableReason } from '../ledger/arguments.js'
import { importedForScorers } from '../ledger/imported-for-scorers.js'

interface ImportOptions extends JsonOption {
  readonly reason: string
}

const HELP = `
The file is CSV with the columns day,asset,usd: a UTC day, a symbol of the asset table, and the price of one whole unit in US
dollars with at most 6 decimals.

  day,asset,usd
  2026-11-22,ETH,3012.55

One bad row refuses the file. The newest import is in force; reports name it by its hash. Prices show what amounts are worth,
they never decide a level.`

export function registerPrices(program: Command, context: CliContext): void {
  const prices = program
    .command('prices')
    .summary('import daily prices')
    .description('Import daily prices, which give amounts a value in US dollars, and list the imports.')
  prices
    .command('import')
    .summary('import a file of daily prices')
    .description('Import a file of daily prices. It replaces the table in force as a whole.')
    .argument('<file>', 'path of the file')
    .option('--reason <text>', 'why, for the audit log', '')
    .option('--json', 'answer in JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => {
      const path = readableFile(context.path(file))
      const reason = readableReason(options.reason)
      const result = await importedForScorers(context, options, async (database) =>
        importPrices({ file: path, importedBy: operator(), reason }, { database }),
      )
      answer(context, options, snakeCase(result), () => {
        const { priceSeq, assets, firstDay, lastDay, unknownAssets, sha256 } = result
        const what = `${result.prices.toLocaleString('en-US')} prices of ${assets.length} assets, ${firstDay} to ${lastDay}`
        if (result.status === 'already-imported') return `This table is in force already: ${what}.`
        const unknown =
          unknownAssets.length === 0 ? [] : [`No counted asset is called ${unknownAssets.join(', ')}.`]
        return [`Table ${priceSeq} is in force: ${what} (${sha256}).`, ...unknown].join('\n')
      })
    })
  prices
    .command('list')
    .summary('list the imported tables')
    .description('List the imported tables of daily prices, the newest first. The first is in force.')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const imports = await withConnections(context, async ({ database }) => await listPriceImports(database))
      answer(context, options, { items: imports.map(snakeCase) }, () =>
        imports.length === 0 ? 'No prices were imported yet.' : table([HEADING, ...imports.map(row)]),
      )
    })
}

const HEADING = ['TABLE', 'PRICES', 'ASSETS', 'FROM', 'TO', 'FILE', 'SHA-256', 'IMPORTED', 'BY']

const row = (one: PriceImport): string[] => [
  `${one.priceSeq}`,
  one.prices.toLocaleString('en-US'),
  one.assets.length > 6 ? `${one.assets.slice(0, 6).join(',')}…` : one.assets.join(','),
  one.firstDay,
  one.lastDay,
  one.fileName,
  one.sha256.slice(0, 12),
  `${one.importedAt.slice(0, 10)} ${one.importedAt.slice(11, 16)}`,
  one.importedBy,
]
