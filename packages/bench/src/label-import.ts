/** Imports label files through the CLI, beside the running service, and says how fast rows went in. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningSystem } from './system.js'

export interface ImportResult {
  readonly files: number
  readonly rows: number
  /** Wall time of all commands, each one's start included. */
  readonly seconds: number
  readonly rowsPerSecond: number
  /** The largest file alone, for which a command's start matters least. */
  readonly largest: { readonly rows: number; readonly seconds: number; readonly rowsPerSecond: number }
}

export async function importLabels(system: RunningSystem, folder: string): Promise<ImportResult> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.csv')).sort()
  let rows = 0
  let seconds = 0
  let largest = { rows: 0, seconds: 0, rowsPerSecond: 0 }
  for (const file of files) {
    const count = await countRows(join(folder, file))
    const { tookMs } = await system.cupel('labels', 'import', join(folder, file), '--format', 'csv')
    rows += count
    seconds += tookMs / 1_000
    if (count > largest.rows)
      largest = { rows: count, seconds: tookMs / 1_000, rowsPerSecond: Math.round(count / (tookMs / 1_000)) }
  }
  return { files: files.length, rows, seconds, rowsPerSecond: Math.round(rows / seconds), largest }
}

async function countRows(file: string): Promise<number> {
  return (await readFile(file, 'utf8')).trimEnd().split('\n').length - 1
}
