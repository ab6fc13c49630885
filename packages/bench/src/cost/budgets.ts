/** The budgets of a screen's costs, which docs/performance.md keeps as a table of lines and loads. */

/** By line, then by load. */
export type Budgets = ReadonlyMap<string, ReadonlyMap<string, number>>

const markerOf = (profile: string): { begin: string; end: string } => ({
  begin: `<!-- budgets of ${profile}: begin -->`,
  end: `<!-- budgets of ${profile}: end -->`,
})

/** Throws if the page has no such table, or if a cell is neither empty nor a number, so that no budget is skipped silently. */
export function readBudgets(page: string, profile: string): Budgets {
  const { begin, end } = markerOf(profile)
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`There is no table between ${begin} and ${end}`)
  const rows = page
    .slice(from + begin.length, to)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const [head, , ...lines] = rows
  if (head === undefined || lines.length === 0) throw new Error(`The table after ${begin} is empty`)
  return new Map(lines.map(([line = '', ...cells]) => [line, budgetsOfLine(line, head.slice(1), cells)]))
}

function budgetsOfLine(
  line: string,
  loads: readonly string[],
  cells: readonly string[],
): Map<string, number> {
  const budgets = new Map<string, number>()
  for (const [index, load] of loads.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '' || cell === '—') continue
    const budget = Number(cell)
    if (!Number.isFinite(budget)) throw new Error(`The budget of ${line} at ${load} is no number: ${cell}`)
    budgets.set(load, budget)
  }
  return budgets
}
