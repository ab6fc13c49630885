/** The script of the reference page, inline so that nothing is fetched; the Content-Security-Policy allows it by its hash. */
import { readFileSync } from 'node:fs'

/** Also where the sources run: the build bundles the browser's part alone into it. */
const SCRIPT = new URL('../../dist/client/run.js', import.meta.url)

let script: string | null = null

/** Throws if the script was not built. */
export function runScript(): string {
  return (script ??= readFileSync(SCRIPT, 'utf8').trim())
}
