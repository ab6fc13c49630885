/** Warnings for the operator about an accepted import. */
import { laterWholeSet, setDay } from '@cupel/domain'
import { setKey } from './set-key.js'
import type { LabelImportRequest } from './import-request.js'
import { unreadOf, type ReadLabels } from './read-labels.js'
import { candidateOf, type SetComparison } from './set-changes.js'

export function warningsOf(comparison: SetComparison, request: LabelImportRequest): string[] {
  const { set, asOf, later } = comparison
  const warnings: string[] = []
  if (later !== null) {
    const advice = request.append === true ? '; --append with a later --as-of adds to the current list' : ''
    warnings.push(
      `${setKey(set)} of ${setDay(asOf)} is older than ${setKey(later)} of ${setDay(later.asOf)} in force: ` +
        `it adds history and changes nothing current${advice}`,
    )
  }
  return [...warnings, ...authorityWarnings(comparison)]
}

/** A row that nobody can read may designate somebody. */
export function unreadWarnings(read: ReadLabels, request: LabelImportRequest): string[] {
  const unread = unreadOf(read, request)
  if (unread === 0) return []
  const rows = unread === 1 ? '1 row' : `${unread} rows`
  return [
    `${rows} of the list cannot be read, and may designate somebody: no report is green, and nothing that the set ` +
      `already states ends. Look at each of them, then import again with --accept-unreadable ${unread} --reason "…"`,
  ]
}

/** If an authority has several sets, all of them designate: a party that one of them delists stays designated by the others. */
function authorityWarnings(comparison: SetComparison): string[] {
  const { set, authorityOrigin, whole, asOf, historical, stated, siblings } = comparison
  if (authorityOrigin === '' || historical) return []
  const warnings: string[] = []
  const own = candidateOf(comparison, stated.size())
  const past = siblings.filter((other) => laterWholeSet([own], other) !== undefined)
  const inForce = siblings.filter((other) => !past.includes(other))
  if (past.length > 0)
    warnings.push(
      `${past.map(setKey).join(', ')} of an earlier date is history from now on and designates nobody`,
    )
  if (inForce.length > 0)
    warnings.push(
      `${authorityOrigin} also has ${inForce.map(setKey).join(', ')} in force: the sets designate together. ` +
        `A set that is the same list under another name is withdrawn with --replaces ${setKey(inForce[0]!)}`,
    )
  const newer = inForce.find(
    (other) => other.whole && setDay(asOf) !== null && (setDay(other.asOf) ?? '') > setDay(asOf)!,
  )
  if (newer !== undefined && !whole)
    warnings.push(
      `${setKey(set)} of ${setDay(asOf)} counts as a part of the list and designates in addition to ${setKey(newer)} of ` +
        `${setDay(newer.asOf)}. If it is an old version of the whole list, import it with --whole: then it is history`,
    )
  if (asOf === null)
    warnings.push(
      `${setKey(set)} states no date, so its age is unknown and nothing is green: state it with --as-of`,
    )
  return warnings
}
