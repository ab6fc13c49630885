/** Imports label files with the CLI beside the running service, and returns rows per second. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunningSystem } from './system.js'

export interface ImportResult {
  readonly files: number
  readonly rows: number
  /** Wall time of all commands, their starts included. */
  readonly seconds: number
  readonly rowsPerSecond: number
  /** The largest file alone: from the reading of the file until its labels are visible, as the command reports it. */
  readonly largest: { readonly rows: number; readonly seconds: number; readonly rowsPerSecond: number }
}

export async function importLabels(system: RunningSystem, folder: string): Promise<ImportResult> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.csv')).sort()
  let rows = 0
  let seconds = 0
  let largest = { rows: 0, seconds: 0, rowsPerSecond: 0 }
  for (const file of files) {
    const count = await countRows(join(folder, file))
    const { json, tookMs } = await system.cupel('labels', 'import', join(folder, file), '--format', 'csv')
    rows += count
    seconds += tookMs / 1_000
    if (count > largest.rows) largest = reported(count, json['duration_ms'])
  }
  return { files: files.length, rows, seconds, rowsPerSecond: Math.round(rows / seconds), largest }
}

function reported(rows: number, durationMs: unknown): ImportResult['largest'] {
  if (typeof durationMs !== 'number') throw new Error('labels import did not say how long it took')
  return { rows, seconds: durationMs / 1_000, rowsPerSecond: Math.round(rows / (durationMs / 1_000)) }
}

async function countRows(file: string): Promise<number> {
  return (await readFile(file, 'utf8')).trimEnd().split('\n').length - 1
}
