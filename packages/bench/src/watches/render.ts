/** The figures of watches with their targets, as a table. No figure fails a run. */
import type { CpuSeconds, WatchesResults } from './run-watches.js'

export function renderWatches(results: WatchesResults): string {
  const { date, cores, loadAverage, profile, watched, changes, aloneMs, besideMs } = results
  return [
    `Measured ${date} on ${cores} cores, ${profile}; load average before the run ${loadAverage}. Receiver and caller run on the same cores.`,
    '',
    '| what | measured | target |',
    '|---|---|---|',
    `| ${watched} watches, until all are made | ${results.createdSeconds.toFixed(1)} s | — |`,
    `| ${watched} watches, until each has its first report | ${results.firstReportsSeconds.toFixed(1)} s | — |`,
    `| a list of ${changes} changes, until all are decided and delivered | ${results.deliveredSeconds.toFixed(1)} s | ≤ 60 s with 100,000 watches |`,
    `| screenings because of the list | ${results.decided} | ${changes} |`,
    `| of them told, in CPU seconds of all processes | ${results.told}, ${total(results.listCpu).toFixed(1)} s | — |`,
    `| CPU milliseconds per first report | ${((total(results.firstCpu) * 1_000) / watched).toFixed(2)}: ${parts(results.firstCpu, watched)} | — |`,
    `| interactive p95 alone / beside | ${aloneMs.toFixed(1)} / ${besideMs.toFixed(1)} ms (${(besideMs / aloneMs).toFixed(2)} ×) | ≤ 1.2 × |`,
    '',
  ].join('\n')
}

const total = (cpu: CpuSeconds): number => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0)

/** Milliseconds of each process for one report, the largest first. */
function parts(cpu: CpuSeconds, reports: number): string {
  return Object.entries(cpu)
    .sort(([, a], [, b]) => b - a)
    .map(([name, seconds]) => `${name} ${((seconds * 1_000) / reports).toFixed(2)}`)
    .join(', ')
}
