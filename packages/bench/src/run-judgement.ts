/** `judgement`: the test of the judgement on real lists, which writes what it measured as a table. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchOptions, Outcome } from './options.js'
import { withHome } from './system.js'
import { conditionsOf } from './table.js'

const TEST = 'packages/system-tests/test/judgement/judgement.full.int.test.ts'

export async function runJudgement(options: BenchOptions): Promise<Outcome> {
  const { root, dataFolder, say } = options
  if (dataFolder === null)
    throw new Error('The judgement is measured on real lists: name their folder in CUPEL_SHARED_DATA.')
  const conditions = conditionsOf(options)
  say(TEST)
  return await withHome(async (home) => {
    const file = join(home, 'judgement.md')
    const env = { ...process.env, CUPEL_SHARED_DATA: dataFolder, CUPEL_JUDGEMENT_TABLE: file }
    const ended = await new Promise<{ readonly isRight: boolean; readonly output: string }>((resolve) => {
      const args = [join(root, 'scripts/test.mjs'), TEST]
      execFile(process.execPath, args, { cwd: root, env, maxBuffer: 1 << 26 }, (error, output) =>
        resolve({ isRight: error === null, output }),
      )
    })
    const measured = await readFile(file, 'utf8').catch(() => ended.output)
    return { table: `${conditions} ${measured}`, figures: { conditions, measured }, isRight: ended.isRight }
  })
}
