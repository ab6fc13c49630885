/** `judgement`: precision and recall of the judgement on real lists, with every difference from the oracle by name. */
import { join } from 'node:path'
import { compiledDefaultPolicy, CURRENT_SCORER_VERSION } from '@cupel/domain'
import { startPostgres } from '@cupel/local-stack'
import type { BenchOptions, Outcome } from '../options.js'
import { withHome } from '../system.js'
import { conditionsOf, table, thousands } from '../table.js'
import { levels } from './measures.js'
import { AS_OF, isRight, runJudgement, type JudgementResults } from './run-judgement.js'

const MAX_STRANGERS = 100

export async function measureJudgement(options: BenchOptions): Promise<Outcome> {
  const { dataFolder: sharedData, size: unlisted, seed, say } = options
  if (sharedData === null)
    throw new Error('The judgement is measured on real lists: name their folder in CUPEL_SHARED_DATA.')
  const conditions = conditionsOf(options)
  const results = await withHome(async (home) => {
    const postgres = await startPostgres({
      folder: join(home, 'postgres'),
      logFile: join(home, 'postgres.log'),
      recordFolder: join(home, 'processes'),
    })
    try {
      const connectionString = await postgres.ensureDatabase('judgement')
      const victims = Number.MAX_SAFE_INTEGER
      return await runJudgement({ connectionString, sharedData, unlisted, seed, victims, say })
    } finally {
      await postgres.stop()
    }
  })
  return { table: render(conditions, results), figures: results, isRight: isRight(results) }
}

function render(conditions: string, results: JudgementResults): string {
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
    `${conditions} Scorer ${CURRENT_SCORER_VERSION}, policy ${id} ${version}; ${thousands(results.rows)} rows, imported at ${thousands(results.rowsPerSecond)} a second; ${thousands(results.addresses)} addresses as of ${AS_OF}; ${thousands(unlisted.addresses)} unlisted ones (seed ${unlisted.seed}).`,
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
