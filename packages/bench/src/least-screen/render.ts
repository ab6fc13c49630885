/** The rates of bare echo, least screen and screen, as a table. No figure fails a run. */
import { medianOf } from '../rounds.js'
import type { LeastResults, LeastRound } from './run-least-screen.js'

export function renderLeastScreen({ date, cores, loadAverage, seconds, rounds }: LeastResults): string {
  const loads = [...new Set(rounds.map(({ connections }) => connections))]
  return [
    `Measured ${date} on ${cores} cores, Kafka profile; load average before the run ${loadAverage}; turns of ${seconds} s. Rates are a second and medians of the rounds. Ratios are medians of those of each round, with their range.`,
    '',
    '| connections | bare echo | least screen | screen | least ÷ bare echo | screen ÷ bare echo | screen ÷ least | errors |',
    '|---|---|---|---|---|---|---|---|',
    ...loads.map((load) =>
      row(
        load,
        rounds.filter(({ connections }) => connections === load),
      ),
    ),
    '',
  ].join('\n')
}

function row(connections: number, rounds: readonly LeastRound[]): string {
  const rates = (['bareEcho', 'least', 'screen'] as const).map((kind) =>
    Math.round(medianOf(rounds.map((round) => round[kind].perSecond))).toLocaleString('en'),
  )
  const ratios = [
    ['least', 'bareEcho'],
    ['screen', 'bareEcho'],
    ['screen', 'least'],
  ] as const
  const errors = rounds.reduce(
    (sum, { bareEcho, least, screen }) => sum + bareEcho.errors + least.errors + screen.errors,
    0,
  )
  const cells = ratios.map(([of, to]) =>
    spread(rounds.map((round) => round[of].perSecond / round[to].perSecond)),
  )
  return `| ${[connections, ...rates, ...cells, errors].join(' | ')} |`
}

function spread(values: readonly number[]): string {
  const [lowest, middle, highest] = [Math.min(...values), medianOf(values), Math.max(...values)]
  return `${middle.toFixed(3)} (${lowest.toFixed(3)} to ${highest.toFixed(3)})`
}
