// Formats generated text as `npm run format` would, so that the check of formats accepts it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'

const SETTINGS = fileURLToPath(new URL('../.oxfmtrc.json', import.meta.url))

/**
 * @param {string} path of the file; its extension names the language
 * @param {string} text
 */
export async function formatted(path, text) {
  const { code, errors } = await format(path, text, JSON.parse(readFileSync(SETTINGS, 'utf8')))
  if (errors.length > 0) throw new Error(`${path} cannot be formatted: ${errors[0].message}`)
  return code
}
