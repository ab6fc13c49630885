/** The figures of webhooks with their targets, as a table. No figure fails a run. */
import type { Delays, WebhookResults, WebhookRow } from './run-webhooks.js'

export function renderWebhooks({ date, cores, loadAverage, rows }: WebhookResults): string {
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}. The receiver runs on the same cores.`,
    '',
    '| profile | what | measured | target |',
    '|---|---|---|---|',
    ...rows.flatMap(linesOf),
    '',
  ].join('\n')
}

function linesOf({ profile, postToWebhookMs, deliveries, idle, besideHanging }: WebhookRow): string[] {
  const line = (what: string, measured: string, target: string): string =>
    `| ${[profile, what, measured, target].join(' | ')} |`
  const sorted = [...postToWebhookMs].sort((a, b) => a - b)
  const target = (text: string): string => (profile === 'kafka' ? text : '—')
  return [
    line(
      '1,000 addresses, POST to webhook, median / worst',
      `${sorted[Math.floor(sorted.length / 2)]!} / ${sorted.at(-1)!} ms`,
      target('≤ 1.5 s'),
    ),
    line(`signed deliveries, ${deliveries.count} to ten endpoints`, `${deliveries.perSecond} /s`, '≥ 500 /s'),
    line('end of a job to first attempt, idle, p50 / p99 / worst', delaysOf(idle), '—'),
    line('the same beside 50 hanging receivers', delaysOf(besideHanging), 'p99 ≤ 1 s'),
  ]
}

function delaysOf({ p50Ms, p99Ms, maxMs }: Delays): string {
  return `${p50Ms} / ${p99Ms} / ${maxMs} ms`
}
