/** The results as a page in Markdown, with every difference by name. */
import { isRight, type JudgementResults } from './run-judgement.js'
import { levels, type LevelCounts } from './measures.js'

export function renderJudgement(results: JudgementResults): string {
  const { categories, sources, unlisted, traps, mismatchCount, coverage } = results
  return [
    `Measured on ${results.date}: scorer ${results.scorerVersion}, policy ${results.policy}, ${number(results.rows)} rows of ` +
      `${sources.length} lists and categories, ${number(results.addresses)} addresses, ${number(unlisted.addresses)} unlisted ones (seed ${unlisted.seed}).`,
    '',
    isRight(results)
      ? 'Everything was as the oracle works it out from the rules.'
      : '**Not everything was as the oracle works it out from the rules; see the end.**',
    '',
    table(
      ['Category', 'Listed', 'Found', 'Wrongly', 'Precision', 'Recall', ...levels],
      categories.map((measure) => [
        measure.category,
        number(measure.listed),
        number(measure.found),
        number(measure.false),
        measure.precision.toFixed(4),
        measure.recall.toFixed(4),
        ...cells(measure.levels),
      ]),
    ),
    '',
    'The level is that of the address, on the chain it is listed on, with every list imported. A clean attribution below 0.80',
    'is grey by rule, and a mixer’s users are orange.',
    '',
    table(
      ['List', 'Category', 'Rows', ...levels],
      sources.map(({ file, category, rows, levels: counts }) => [
        file,
        category,
        number(rows),
        ...cells(counts),
      ]),
    ),
    '',
    ...findings(results),
    table(
      ['Known trap', '', 'Found'],
      traps.map(({ name, isPassed, found }) => [name, isPassed ? 'passed' : 'FAILED', `\`${found}\``]),
    ),
    '',
    table(
      ['Coverage', 'Reports'],
      Object.entries(coverage).map(([words, count]) => [words, number(count)]),
    ),
    '',
    `Listed addresses that differ from the oracle: ${number(mismatchCount)}. Unlisted ones that are not grey, 0, without evidence: ${number(unlisted.wrong.length)}.`,
    ...failures(results),
    '',
  ].join('\n')
}

/** The basis of the levels: subcategories, reasons, and the lists that reports name. */
function findings(results: JudgementResults): readonly string[] {
  return [
    table(
      ['Category', 'Subcategory', 'Addresses', ...levels],
      results.subcategories.map(({ category, subcategory, addresses, levels: counts }) => [
        category,
        subcategory,
        number(addresses),
        ...cells(counts),
      ]),
    ),
    '',
    'A subcategory is that of the label that counts for most. An address is in every row that its evidence names.',
    '',
    table(
      ['Level', 'Reasons', 'Addresses'],
      results.reasons.map(({ level, reasons, addresses }) => [level, reasons, number(addresses)]),
    ),
    '',
    `Judged as of ${results.generatedAt}, a day after the date of the newest sanctions list. Judged as of the day of the run, with that list`,
    `too old: ${results.aged.map(({ level, reasons, addresses }) => `${number(addresses)} ${level} (${reasons})`).join(', ')}.`,
    '',
    table(
      ['Required or authority’s list', 'Authority', 'Whole', 'Date', 'Labels', 'Status'],
      results.lists.map((list) => [
        list.list,
        list.authority,
        list.isWhole ? 'yes' : 'no',
        list.date,
        number(list.labels),
        list.status,
      ]),
    ),
    '',
  ]
}

function failures({ mismatches, mismatchCount, unlisted, traps }: JudgementResults): readonly string[] {
  const lines = [
    ...mismatches.map(({ address, chain, wrong }) => `- ${chain} ${address}: ${wrong.join('; ')}`),
    ...unlisted.wrong
      .slice(0, mismatches.length + 100)
      .map(({ address, chain, wrong }) => `- unlisted ${chain} ${address}: ${wrong.join('; ')}`),
    ...traps
      .filter(({ isPassed }) => !isPassed)
      .map(({ name, expected, found }) => `- ${name}: ${found} instead of ${expected}`),
  ]
  if (lines.length === 0) return []
  const omitted = mismatchCount - mismatches.length
  return ['', '## What was wrong', '', ...lines, ...(omitted > 0 ? [`- and ${number(omitted)} more`] : [])]
}

const cells = (counts: LevelCounts): string[] => levels.map((level) => number(counts[level]))
const number = (value: number): string => value.toLocaleString('en-US')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((line) => `| ${line.join(' | ')} |`).join('\n')
}
