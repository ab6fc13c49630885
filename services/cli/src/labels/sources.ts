/** `cupel labels sources`: the current sets. */
import { listSets, type PublishedSet } from '@cupel/read-models'
import type { Command } from 'commander'
import { answer, snakeCase, table, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { withConnections } from '../connections.js'

export function registerSources(labels: Command, context: CliContext): void {
  labels
    .command('sources')
    .summary('list the current sets of labels')
    .description('List the current sets of labels: their source, their date, and when they were imported.')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const sets = await withConnections(context, ({ database }) => listSets(database))
      answer(context, options, { items: sets.map(snakeCase) }, () =>
        sets.length === 0 ? 'No labels were imported yet.' : table([HEADING, ...sets.map(row)]),
      )
    })
}

const HEADING = ['SOURCE', 'DATASET', 'LABELS', 'AS OF', 'IMPORTED', 'BY', '']

function row({
  kind,
  source,
  dataset,
  total,
  asOf,
  publishedAt,
  importedBy,
  authorityOrigin,
  refreshConfigured,
}: PublishedSet): string[] {
  const labels = total.toLocaleString('en-US')
  const isMissing = kind === 'expected'
  const imported = isMissing ? 'never' : `${publishedAt.slice(0, 10)} ${publishedAt.slice(11, 16)}`
  const remark = [
    ...(authorityOrigin !== '' ? ["the authority's own list"] : []),
    ...(refreshConfigured ? ['refreshed on a schedule'] : []),
    ...(isMissing ? ['never came: no report is green without it'] : []),
  ].join(', ')
  return [
    source === '' ? '-' : source,
    dataset,
    labels,
    asOf?.slice(0, 10) ?? '-',
    imported,
    importedBy,
    remark,
  ]
}
