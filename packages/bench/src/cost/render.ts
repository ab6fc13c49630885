/** The cost of a screen, as tables beside its budgets. No figure fails a run. */
import type { Budgets } from './budgets.js'
import type { CostColumn, CostResults, ProfileCost } from './run-cost.js'

/** Lines below this at every load are left out, unless they have a budget. */
const LEAST_SHOWN = 0.005

export function renderCost(results: CostResults, budgetsOf: (profile: string) => Budgets): string {
  const { date, commit, cores, loadAverage, seconds } = results
  const lines = [
    `Measured ${date} at commit ${commit} on ${cores} cores; load average before the run ${loadAverage}; phases of ${seconds} s after a warm-up. ` +
      'Each figure is per screen, and per second where nobody calls. “over” is beyond its budget.',
  ]
  for (const profile of results.profiles)
    lines.push('', ...renderProfile(profile, budgetsOf(profile.profile)))
  return lines.join('\n')
}

function renderProfile({ profile, columns, bareEcho }: ProfileCost, budgets: Budgets): string[] {
  const names = linesOf(columns, budgets)
  const overs = names.flatMap((line) =>
    columns.filter((column) => isOver(column, line, budgets)).map(({ load }) => `${line} at ${load}`),
  )
  return [
    `### ${profile === 'kafka' ? 'Kafka profile' : 'Embedded profile'}`,
    '',
    `| line | ${columns.map(({ load }) => load).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    `| screens a second | ${columns.map(({ perSecond }) => perSecond.toFixed(0)).join(' | ')} |`,
    ...names.map(
      (line) => `| ${line} | ${columns.map((column) => cellOf(column, line, budgets)).join(' | ')} |`,
    ),
    ...bareEcho.map(
      ({ line, values }) => `| ${line} | ${values.map((value) => value?.toFixed(2) ?? '—').join(' | ')} |`,
    ),
    '',
    overs.length === 0
      ? `Every line is within its budget; ${budgets.size} lines have one.`
      : `Over budget: ${overs.join('; ')}.`,
  ]
}

function linesOf(columns: readonly CostColumn[], budgets: Budgets): string[] {
  const shown = new Set(budgets.keys())
  for (const { values } of columns)
    for (const [line, value] of values) if (value >= LEAST_SHOWN) shown.add(line)
  return [...shown].sort()
}

const isOver = ({ load, values }: CostColumn, line: string, budgets: Budgets): boolean =>
  (values.get(line) ?? 0) > (budgets.get(line)?.get(load) ?? Infinity)

function cellOf(column: CostColumn, line: string, budgets: Budgets): string {
  const value = (column.values.get(line) ?? 0).toFixed(2)
  const budget = budgets.get(line)?.get(column.load)
  if (budget === undefined) return value
  return isOver(column, line, budgets) ? `**${value}, over ${budget}**` : `${value} (≤ ${budget})`
}
