/** The figures of neighbours with their target, as a table. No figure fails a run. */
import { medianOf, type NeighbourRow, type NeighboursResults } from './run-neighbours.js'

export function renderNeighbours(results: NeighboursResults): string {
  const { date, cores, loadAverage, profile, pairs, seconds, perSecond, rows } = results
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${profile} profile; ${pairs} pairs of phases of ${seconds} s; ${perSecond} screens a second. The intruders run on the same cores. Target: the median of the ratios is 1.10 at most.`,
    '',
    '| beside | one call alone | screens p95, quiet, median | disturbed ÷ quiet: median (spread) | answers a second | errors |',
    '|---|---|---|---|---|---|',
    ...rows.map(lineOf),
    '',
  ].join('\n')
}

function lineOf({ name, aloneMs, quietMs, ratios, answers, errors }: NeighbourRow): string {
  const spread = `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`
  const answered = Object.entries(answers).map(
    ([status, rate]) => `${rate} × ${status === '0' ? 'none' : status}`,
  )
  const cells = [
    name,
    aloneMs === null ? '—' : `${aloneMs} ms`,
    `${medianOf(quietMs).toFixed(1)} ms`,
    `${medianOf(ratios).toFixed(2)} (${spread})`,
    answered.join(', '),
    String(errors),
  ]
  return `| ${cells.join(' | ')} |`
}
