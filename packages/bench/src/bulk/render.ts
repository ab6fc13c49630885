/** The figures of bulk jobs with their targets, as a table. No figure fails a run. */
import type { BulkResults, BulkRow } from './run-bulk.js'

export function renderBulk({ date, cores, loadAverage, perSecond, rows }: BulkResults): string {
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}. Every address is new.`,
    '',
    '| profile | what | measured | target |',
    '|---|---|---|---|',
    ...rows.flatMap((row) => linesOf(row, perSecond)),
    '',
  ].join('\n')
}

function linesOf({ profile, singleMs, sustained, beside }: BulkRow, perSecond: number): string[] {
  const line = (what: string, measured: string, target: string): string =>
    `| ${[profile, what, measured, target].join(' | ')} |`
  const sorted = [...singleMs].sort((a, b) => a - b)
  const { idle, loaded } = beside
  const memory = sustained.memory.map(({ process, peakMib }) => `${process} ${peakMib}`).join(', ')
  const isKafka = profile === 'kafka'
  return [
    line(
      '1,000 addresses, POST to ended, median / worst',
      `${sorted[Math.floor(sorted.length / 2)]!} / ${sorted.at(-1)!} ms`,
      isKafka ? '≤ 1.5 s, webhook included' : '—',
    ),
    line(
      '20 jobs of one account',
      `${sustained.addressesPerSecond} addresses/s`,
      isKafka ? '≥ 2,000 /s' : '—',
    ),
    line('their peak memory, MiB', memory, 'flat'),
    line(
      `interactive p95 at ${perSecond}/s: idle, then beside 16 accounts with 10 jobs each`,
      `${idle.p95Ms} ms, ${loaded.p95Ms} ms (${idle.errors + loaded.errors} errors)`,
      isKafka ? '≤ 3 × idle' : '—',
    ),
    line('bulk meanwhile', `${beside.addressesPerSecond} addresses/s`, '—'),
    line('fairness among the accounts (Jain)', String(beside.fairness), '≥ 0.98'),
  ]
}
