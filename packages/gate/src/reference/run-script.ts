/** The script of the reference page, inline so that nothing is fetched; the Content-Security-Policy allows it by its hash. */
import { readFileSync } from 'node:fs'

/** The build bundles the part of the browser into this file. The sources read it from there too. */
const SCRIPT = new URL('../../dist/reference/client/run.js', import.meta.url)

let script: string | null = null

/** Throws if the script was not built. */
export function runScript(): string {
  return (script ??= readFileSync(SCRIPT, 'utf8').trim())
}
