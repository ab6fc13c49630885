/** The share of evidence in the CPU of a screen, with its target, as a table. No figure fails a run. */
import type { EvidenceResults, EvidenceRow } from './run-evidence.js'

export function renderEvidence(results: EvidenceResults): string {
  const { date, cores, loadAverage, profile, seconds, macMicros, checkMicros, signMicros, rows } = results
  const signatures = Object.entries(signMicros).map(([size, micros]) => `${size}: ${micros.toFixed(1)} µs`)
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${profile} profile; phases of ${seconds} s. CPU of one operation on the records of these phases, median of 21 rounds: a MAC made ${macMicros.toFixed(1)} µs, checked ${checkMicros.toFixed(1)} µs; one signature by the number of reports ${signatures.join(', ')}.`,
    '',
    '| load | screens a second | CPU of a screen | signatures a report | MACs and signature | share (target ≤ 5 %) |',
    '|---|---|---|---|---|---|',
    ...rows.map(lineOf),
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
