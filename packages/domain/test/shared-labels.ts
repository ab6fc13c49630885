/** Rows of the shared label files, for tests that check the rules against real lists. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedDataFolder } from '@cupel/testkit'
import { parse } from 'csv-parse/sync'

/** The folder of the shared data; null, with a message, if this machine has none. */
export const sharedData = sharedDataFolder()

export interface SharedRow {
  readonly file: string
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly entity: string
  readonly source: string
  readonly source_url: string
  readonly confidence: string
  readonly observed_at: string
}

export function readSharedLabels(folder: string): readonly SharedRow[] {
  return readdirSync(join(folder, 'labels'))
    .filter((name) => name.endsWith('.csv'))
    .sort()
    .flatMap((file) =>
      readCsv<Omit<SharedRow, 'file'>>(join(folder, 'labels', file)).map((row) => ({ ...row, file })),
    )
}

export function readCsv<Row>(path: string): readonly Row[] {
  return parse(readFileSync(path, 'utf8'), { columns: true, skip_empty_lines: true }) as Row[]
}
