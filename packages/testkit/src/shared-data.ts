/** Finds the real label files that some machines keep beside the checkout. */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const beside = fileURLToPath(new URL('../../../../shared/data', import.meta.url))

/** Folder of the shared data, or null if this machine has none; the run then prints the reason with its result. */
export function sharedDataFolder(): string | null {
  const folder = process.env['CUPEL_SHARED_DATA'] ?? beside
  if (existsSync(join(folder, 'labels'))) return folder
  noteSkip(`no shared data at ${folder} (set CUPEL_SHARED_DATA to its folder)`)
  return null
}

/** Records why tests are skipped; the test command prints every reason at the end of a run. */
export function noteSkip(reason: string): void {
  const file = process.env['CUPEL_TEST_SKIPS']
  if (file === undefined) process.stderr.write(`skipped because: ${reason}\n`)
  else appendFileSync(file, `${reason}\n`)
}
