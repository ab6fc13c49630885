/** The figures of watches with their targets, as a table. No figure fails a run. */
import type { WatchesResults } from './run-watches.js'

export function renderWatches(results: WatchesResults): string {
  const { date, cores, loadAverage, profile, watched, changes, aloneMs, besideMs } = results
  return [
    `Measured ${date} on ${cores} cores, ${profile}; load average before the run ${loadAverage}. Receiver and caller run on the same cores.`,
    '',
    '| what | measured | target |',
    '|---|---|---|',
    `| ${watched} watches, until each has its first report | ${results.firstReportsSeconds.toFixed(1)} s | — |`,
    `| a list of ${changes} changes, until all are decided and delivered | ${results.deliveredSeconds.toFixed(1)} s | ≤ 60 s with 100,000 watches |`,
    `| screenings because of the list | ${results.decided} | ${changes} |`,
    `| interactive p95 alone / beside | ${aloneMs.toFixed(1)} / ${besideMs.toFixed(1)} ms (${(besideMs / aloneMs).toFixed(2)} ×) | ≤ 1.2 × |`,
    '',
  ].join('\n')
}
