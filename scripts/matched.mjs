// Reads texts that are known to have a form.

const MOST_CHARACTERS = 200

/**
 * What the pattern finds, with its groups. Throws if it finds nothing.
 * @param {RegExp} pattern
 * @param {string} text
 */
export function matched(pattern, text) {
  const found = pattern.exec(text)
  if (found === null) throw new Error(`${pattern} finds nothing in: ${text.slice(0, MOST_CHARACTERS)}`)
  return found
}
