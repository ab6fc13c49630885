/** The public keys that an auditor did not get from the log: a file with a verifier key of C2SP per line. */
import { readFileSync } from 'node:fs'
import { parseVerifierKey, type PublicKey } from '@cupel/signing'
import { CommandError, EXIT_USAGE } from '../index.js'

/** Throws a CommandError that names the first line that is not a verifier key. Empty lines and lines that begin with `#` are skipped. */
export function readPublicKeys(file: string): readonly PublicKey[] {
  const keys = linesOf(file).flatMap((line, index): PublicKey[] => {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) return []
    const key = parseVerifierKey(text)
    if (key === null)
      throw new CommandError(
        `Line ${index + 1} of ${file} is not a verifier key: \`cupel log signing-keys\` prints them.`,
        EXIT_USAGE,
      )
    return [key]
  })
  if (keys.length === 0) throw new CommandError(`${file} holds no verifier key.`, EXIT_USAGE)
  return keys
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (cause) {
    throw new CommandError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}).`, EXIT_USAGE, {
      cause,
    })
  }
}
