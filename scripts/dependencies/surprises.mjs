// Finds what dependencies.json does not allow in the dependencies.
import { idOf } from './read.mjs'

/**
 * @param {readonly import('./read.mjs').Dependency[]} dependencies
 * @param {{ licences: string[], licences_of: Record<string, { states: string | null, is: string, reason: string }>,
 *   install_scripts: Record<string, string> }} agreed
 * @returns {string[]} One sentence for each surprise, also for an agreement that no dependency needs any more.
 */
export function surprises(dependencies, agreed) {
  const found = []
  for (const dependency of dependencies) {
    const id = idOf(dependency)
    const { name, licence, installScripts, integrity } = dependency
    const own = agreed.licences_of[name]
    if (own !== undefined ? own.states !== licence : !isAllowed(licence, agreed.licences))
      found.push(`${id} has the licence ${licence ?? '(none)'}, which nobody agreed to.`)
    if (installScripts.length > 0 && agreed.install_scripts[name] === undefined)
      found.push(`${id} has an install script (${installScripts.join(', ')}), which nobody looked at.`)
    if (integrity === null) found.push(`${id} has no hash in the lockfile.`)
  }
  const names = new Set(dependencies.map(({ name }) => name))
  for (const name of Object.keys(agreed.licences_of))
    if (!names.has(name))
      found.push(`dependencies.json agrees to a licence of ${name}, which is not installed.`)
  return found
}

/** Checks an SPDX expression without WITH: one part of an OR suffices, an AND needs all parts. */
export function isAllowed(licence, allowed) {
  if (licence === null) return false
  const bare = licence.replaceAll(/[()]/g, ' ')
  // A person must read an expression with both AND and OR.
  if (/\bAND\b/.test(bare) && /\bOR\b/.test(bare)) return false
  const parts = bare.split(/\b(?:AND|OR)\b/).map((part) => part.trim())
  const holds = (part) => allowed.includes(part)
  return /\bOR\b/.test(bare) ? parts.some(holds) : parts.every(holds)
}
