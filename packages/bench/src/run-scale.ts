/** `scale`: the import rate of many labels. Each is of another address. */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { labelRows } from './ledger/world.js'
import type { BenchOptions, Outcome } from './options.js'
import { withSystem } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

export async function runScale(options: BenchOptions): Promise<Outcome> {
  const { size, say } = options
  const conditions = conditionsOf(options)
  return await withSystem(options, options.profiles[0]!, async (system) => {
    say(`import of ${size} labels`)
    const file = join(system.home, 'labels.csv')
    await pipeline(
      Readable.from(labelRows({ transfers: size * 5, labelledEvery: 1 })),
      createWriteStream(file),
    )
    const { json } = await system.cupel('labels', 'import', file, '--format', 'csv')
    const rate = thousands((size * 1_000) / Number(json['duration_ms']))
    return {
      table: `${conditions} ${system.profile} profile; ${thousands(size)} rows.\n\n${table(['what', 'measured'], [['labels, rows/s', rate]])}`,
      figures: { conditions, size, rate },
      isRight: true,
    }
  })
}
