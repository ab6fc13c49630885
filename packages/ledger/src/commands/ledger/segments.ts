/** `cupel ledger segments`: the imported files, and the heights that are declared complete. */
import { declaredRanges, listSegments, type Segment } from '../../index.js'
import type { Command } from 'commander'
import { answer, snakeCase, table, type JsonOption, type CliContext } from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'

interface ChainRange {
  readonly chain: string
  readonly kind: string
  readonly fromHeight: number
  readonly toHeight: number
  /** UTC; null if the files state no time. */
  readonly toAt: string | null
}

export function registerSegments(ledger: Command, context: CliContext): void {
  ledger
    .command('segments')
    .summary('list the imported files')
    .description(
      'List the imported files, and the ranges of heights that are declared complete; between two ranges is a gap.',
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const { segments, ranges } = await withConnections(context, async ({ database }) => {
        const found = await listSegments(database)
        const ledgerSeq = Math.max(0, ...found.map((one) => one.ledgerSeq ?? 0))
        const chains = [...new Set(found.map(({ chain }) => chain))].sort()
        const all: ChainRange[] = []
        for (const chain of chains)
          for (const { kind, fromHeight, toHeight, toAtS } of await declaredRanges(database, {
            chain,
            ledgerSeq,
          }))
            all.push({
              chain,
              kind,
              fromHeight,
              toHeight,
              toAt: toAtS === null ? null : new Date(toAtS * 1_000).toISOString(),
            })
        return { segments: found, ranges: all }
      })
      answer(context, options, { items: segments.map(snakeCase), ranges: ranges.map(snakeCase) }, () =>
        segments.length === 0 ? 'No ledger was imported yet.' : textOf(segments, ranges),
      )
    })
}

function textOf(segments: readonly Segment[], ranges: readonly ChainRange[]): string {
  const lines = [table([HEADING, ...segments.map(row)])]
  if (ranges.length === 0)
    lines.push(
      '',
      segments.some(({ history }) => history !== null)
        ? 'No range is declared: only the histories that providers told can be complete, each for its address.'
        : 'No range is declared: every history counts as incomplete.',
    )
  else
    lines.push(
      '',
      table([
        ['CHAIN', 'WHOLE OF', 'FROM', 'TO', 'AT'],
        ...ranges.map((one) => [
          one.chain,
          one.kind,
          `${one.fromHeight}`,
          `${one.toHeight}`,
          one.toAt ?? '-',
        ]),
      ]),
    )
  return lines.join('\n')
}

const HEADING = [
  ...[
    'STATE',
    'CHAIN',
    'FORMAT',
    'FILE',
    'TRANSFERS',
    'TIMED',
    'HEIGHTS',
    'WHOLE OF',
    'RANGE',
    'FOR',
    'IMPORTED',
    'BY',
  ],
]

function row(segment: Segment): string[] {
  const { firstHeight, lastHeight, completeFrom, completeTo, covers, publishedAt } = segment
  return [
    segment.ledgerSeq === null ? 'interrupted' : `${segment.ledgerSeq}`,
    segment.chain,
    segment.format,
    segment.fileName,
    (segment.counts['added'] ?? 0).toLocaleString('en-US'),
    (segment.counts['timed'] ?? 0).toLocaleString('en-US'),
    firstHeight === null ? '-' : `${firstHeight}–${lastHeight}`,
    covers.join(',') || '-',
    completeFrom === null ? '-' : `${completeFrom}–${completeTo}`,
    forWhom(segment),
    publishedAt === null ? '-' : `${publishedAt.slice(0, 10)} ${publishedAt.slice(11, 16)}`,
    segment.importedBy,
  ]
}

/** A declaration concerns all addresses of its chain, what a provider told one. */
function forWhom({ history }: Segment): string {
  if (history === null) return 'all addresses'
  const { address, incomplete } = history
  return incomplete.length === 0 ? address : `${address} (${incomplete.join(', ')})`
}
