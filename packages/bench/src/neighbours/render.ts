/** The figures of neighbours with their target, as a table. No figure fails a run. */
import type { Ratio } from './pooled.js'
import type { NeighbourRow, NeighboursResults } from './run-neighbours.js'

export function renderNeighbours(results: NeighboursResults): string {
  const { date, cores, loadAverage, profile, rounds, seconds, perSecond, quietMs, noise, rows } = results
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${profile} profile; ${rounds} rounds of turns of ${seconds} s; ${perSecond} screens a second, p95 ${quietMs.toFixed(1)} ms in quiet turns. The intruders run on the same cores. Target: p95 is 1.10 times that of quiet turns at most. Two halves of the quiet turns differ by ${textOf(noise)}: that is noise.`,
    '',
    '| beside | one call alone | screens p95 | ÷ quiet (95 of 100 samples) | answers a second | errors |',
    '|---|---|---|---|---|---|',
    ...rows.map(lineOf),
    '',
  ].join('\n')
}

function textOf({ value, from, to }: Ratio): string {
  return `${value.toFixed(2)} (${from.toFixed(2)} to ${to.toFixed(2)})`
}

function lineOf({ name, aloneMs, p95Ms, ratio, answers, errors }: NeighbourRow): string {
  const answered = Object.entries(answers).map(
    ([status, rate]) => `${rate} × ${status === '0' ? 'none' : status}`,
  )
  const cells = [
    ...[name, aloneMs === null ? '—' : `${aloneMs} ms`, `${p95Ms.toFixed(1)} ms`, textOf(ratio)],
    ...[answered.join(', '), String(errors)],
  ]
  return `| ${cells.join(' | ')} |`
}
