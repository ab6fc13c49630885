/** What the judgement measured, as text in Markdown. */
import { compiledDefaultPolicy, CURRENT_SCORER_VERSION } from '@cupel/domain'
import { levels } from './measures.js'
import { AS_OF, type JudgementResults } from './run-judgement.js'

const MAX_STRANGERS = 100

const thousands = (value: number): string => value.toLocaleString('en-US')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

export function judgementTable(results: JudgementResults): string {
  const { categories, unlisted, traps, mismatchCount, mismatches } = results
  const { id, version } = compiledDefaultPolicy.document
  const head = ['category', 'listed', 'found', 'wrongly', 'precision', 'recall', ...levels]
  const rows = categories.map((measure) => [
    ...[measure.category, thousands(measure.listed), thousands(measure.found), thousands(measure.false)],
    ...[measure.precision.toFixed(4), measure.recall.toFixed(4)],
    ...levels.map((level) => thousands(measure.levels[level])),
  ])
  const wrong = [...mismatches, ...unlisted.wrong.slice(0, MAX_STRANGERS)]
  return [
    `Scorer ${CURRENT_SCORER_VERSION}, policy ${id} ${version}; ${thousands(results.rows)} rows, imported at ${thousands(results.rowsPerSecond)} a second; ${thousands(results.addresses)} addresses as of ${AS_OF}; ${thousands(unlisted.addresses)} unlisted ones (seed ${unlisted.seed}).`,
    table(head, rows),
    `Listed addresses that differ from the oracle: ${mismatchCount}. Unlisted ones that are not grey, 0, without evidence: ${unlisted.wrong.length}.`,
    table(
      ['known trap', '', 'found'],
      traps.map(({ name, isPassed, found, expected }) => [
        name,
        isPassed ? 'passed' : `FAILED, expected \`${expected}\``,
        `\`${found}\``,
      ]),
    ),
    ...wrong.map(({ address, chain, wrong: sentences }) => `- ${chain} ${address}: ${sentences.join('; ')}`),
  ].join('\n\n')
}
