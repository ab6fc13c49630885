/** The figures of neighbours with their target, as a table. No figure fails a run. */
import type { Ratio } from '../rounds.js'
import type { NeighbourRow, NeighboursResults } from './run-neighbours.js'

export function renderNeighbours(results: NeighboursResults): string {
  const { date, cores, loadAverage, profile, rounds, seconds, perSecond, rows } = results
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${profile} profile; ${rounds} rounds of three turns of ${seconds} s for each row; ${perSecond} screens a second. The intruders run on the same cores, at low priority. Target: p95 beside ÷ alone is 1.10 at most. Noise: one half of the turns alone ÷ the other. In brackets: intervals of 95 %. Percentiles are of all rounds together; the last ratios are medians of those of each round by itself.`,
    '',
    '| beside | one call alone | screens p95 alone | beside | beside ÷ alone | noise | median of rounds | its noise | answers a second | errors |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map(lineOf),
    '',
  ].join('\n')
}

function textOf({ value, low, high }: Ratio): string {
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}

function lineOf({ name, aloneMs, screens, answers, errors }: NeighbourRow): string {
  const answered = Object.entries(answers).map(
    ([status, rate]) => `${rate} × ${status === '0' ? 'none' : status}`,
  )
  const cells = [
    ...[name, aloneMs === null ? '—' : `${aloneMs} ms`],
    ...[`${screens.aloneMs.toFixed(1)} ms`, `${screens.besideMs.toFixed(1)} ms`],
    ...[screens.effect, screens.noise, screens.median.effect, screens.median.noise].map(textOf),
    ...[answered.join(', '), String(errors)],
  ]
  return `| ${cells.join(' | ')} |`
}
