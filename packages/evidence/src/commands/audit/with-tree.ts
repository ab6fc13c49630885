/** What a verification says if there is no transparency log to compare with, or records that have no leaf in it. */
import { problemOfRow } from '../../proofs/index.js'
import { leafProblems, type ComparedLeaves } from './compared-leaves.js'
import type { Verified } from './verified.js'

/**
 * A log that names a signing key has a transparency log: without one, nothing shows what was changed. So has one whose leaves an
 * earlier run compared.
 */
export function withTree(
  result: Omit<Verified, 'leaves'>,
  leaves: ComparedLeaves | null,
  /** Number of leaves that an earlier run compared. */
  keptLeaves: number,
): Verified {
  const isDue = keptLeaves > 0 || result.signatures.keys.some(({ isPublished }) => isPublished)
  const isGone = (leaves?.comparison ?? null) === null && isDue
  const detail = keptLeaves > 0 ? keptGone(keptLeaves) : TREE_GONE
  const gone = problemOfRow('table', { row: 'transparency.log' }, detail)
  return {
    ...{ ...result, leaves, warnings: [...result.warnings, ...unleafed(leaves)] },
    problems: isGone ? [gone, ...result.problems] : result.problems,
    problemCount: result.problemCount + leafProblems(leaves) + (isGone ? 1 : 0),
  }
}

const TREE_GONE =
  'The log names a signing key, and its transparency log, or the key of that, is missing: its rows and files, or the signing keys, are gone.'
const keptGone = (leaves: number): string =>
  `A tree of ${leaves} leaves was verified before, and now the transparency log, or its key, is missing: its rows and files, or the signing keys, are gone.`

/** Longer than a projector takes to give records their leaves. */
const MAX_UNLEAFED_MS = 60_000

function unleafed(leaves: ComparedLeaves | null): string[] {
  const { pending, pendingSince } = leaves?.comparison ?? { pending: 0, pendingSince: null }
  if (pendingSince === null || Date.now() - Date.parse(pendingSince) <= MAX_UNLEAFED_MS) return []
  return [
    `${pending.toLocaleString('en-US')} records have had no leaf since ${pendingSince}: nothing would show a change of them. Start the projector, or see \`cupel status\`.`,
  ]
}
