/** The share of evidence in the CPU of a screen, with its target, as a table. No figure fails a run. */
import { SEALING_ROUNDS, type SealingRow } from './sealing-cost.js'
import type { EvidenceResults, EvidenceRow } from './run-evidence.js'

export function renderEvidence(results: EvidenceResults): string {
  const { date, cores, loadAverage, profile, seconds, macMicros, checkMicros, signMicros } = results
  const { rows, sealing } = results
  const signatures = Object.entries(signMicros).map(([size, micros]) => `${size}: ${micros.toFixed(1)} µs`)
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${profile} profile; phases of ${seconds} s. CPU of one operation on the records of these phases, median of 21 rounds: a MAC made ${macMicros.toFixed(1)} µs, checked ${checkMicros.toFixed(1)} µs; one signature by the number of reports ${signatures.join(', ')}.`,
    '',
    '| load | screens a second | CPU of a screen | signatures a report | MACs and signature | share (target ≤ 5 %) |',
    '|---|---|---|---|---|---|',
    ...rows.map(lineOf),
    '',
    `Sealing: ${SEALING_ROUNDS} rounds of three turns, open loop. Medians; CPU ÷ that of the turn without a reference in the same round.`,
    '',
    '| customer reference | CPU of a screen | p95 | ratio of CPU (range) |',
    '|---|---|---|---|',
    ...sealing.map(sealingLine),
    '',
  ].join('\n')
}

function lineOf({ load, perSecond, screenMicros, signatures, evidenceMicros, share }: EvidenceRow): string {
  const cells = [
    ...[load, perSecond.toFixed(0), `${(screenMicros / 1_000).toFixed(2)} ms`, signatures.toFixed(2)],
    ...[`${evidenceMicros.toFixed(0)} µs`, `${(100 * share).toFixed(1)} %`],
  ]
  return `| ${cells.join(' | ')} |`
}

function sealingLine({ reference, screenMicros, p95Ms, ratio }: SealingRow): string {
  const [low, middle, high] = ratio.map((value) => value.toFixed(2))
  const cells = [reference, `${(screenMicros / 1_000).toFixed(2)} ms`, `${p95Ms.toFixed(1)} ms`]
  return `| ${[...cells, `${middle} (${low} to ${high})`].join(' | ')} |`
}
