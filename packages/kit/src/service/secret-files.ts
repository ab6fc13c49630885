/** Reads secrets that settings name by file, so that they are not in the environment or the process list. */
import { readFileSync } from 'node:fs'

const SUFFIX = '_FILE'

/**
 * Returns the environment with the content of each `NAME_FILE` as `NAME`, if both are settings. White space around it is removed. `faults`
 * receives one sentence for each file that cannot be read, and for each secret that is given twice.
 */
export function withSecretsOfFiles(
  environment: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, unknown>>,
  faults: string[],
): Record<string, string | undefined> {
  const filled = { ...environment }
  for (const [name, path] of Object.entries(environment)) {
    const secret = name.slice(0, -SUFFIX.length)
    if (!name.endsWith(SUFFIX) || !(name in settings) || !(secret in settings) || !path) continue
    // The console and the API read this file themselves.
    if (secret === 'CUPEL_WEB_SECRET') continue
    if (environment[secret]) faults.push(`${secret} and ${name} are not set together.`)
    try {
      filled[secret] = readSecretFile(path)
    } catch (error) {
      faults.push(`${name} cannot be read: ${(error as Error).message}`)
    }
  }
  return filled
}

/** The content of the file without white space around it. Throws if it cannot be read or is empty. */
export function readSecretFile(path: string): string {
  const text = readFileSync(path, 'utf8').trim()
  if (text === '') throw new Error(`${path} is empty`)
  return text
}
