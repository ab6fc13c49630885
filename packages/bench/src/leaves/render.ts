/** The cost of leaves with its target, as a table. No figure fails a run. */
import type { Ratio } from '../rounds.js'
import type { LeavesResults } from './run-leaves.js'

export function renderLeaves(results: LeavesResults): string {
  const { date, cores, loadAverage, profile, rounds, seconds, perSecond, screens, cpu } = results
  const rows = [
    [
      'p95 of screens, all rounds',
      `${screens.aloneMs.toFixed(1)} ms`,
      `${screens.besideMs.toFixed(1)} ms`,
    ].concat([screens.effect, screens.noise].map(textOf)),
    ['p95 of screens, median of the rounds', '', ''].concat(
      [screens.median.effect, screens.median.noise].map(textOf),
    ),
    ...(cpu === null
      ? []
      : [
          ['CPU of a screen, all processes', millis(cpu.heldMicros), millis(cpu.runningMicros)].concat(
            [cpu.effect, cpu.noise].map(textOf),
          ),
        ]),
  ]
  return [
    `Measured ${date} on ${cores} cores; load average before the run ${loadAverage}; ${profile} profile; ${rounds} rounds of three turns of ${seconds} s, two with the transparency log held and one with it running; ${perSecond} screens a second; ${results.leavesPerScreen} leaves for each screen; ${results.errors} errors. CPU is that of a turn and of the 6 s behind it, in which the last leaves are made. Target: p95 running ÷ held is 1.05 at most. Noise: one turn with the log held ÷ the other. In brackets: intervals of 95 %.`,
    '',
    '| | held | running | running ÷ held | noise |',
    '|---|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n')
}

const millis = (micros: number): string => `${(micros / 1_000).toFixed(2)} ms`

function textOf({ value, low, high }: Ratio): string {
  return `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
}
