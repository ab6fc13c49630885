/** Decides recorded screenings again, each with the scorer that decided it first. */
import type { ReportGenerated } from '@cupel/contracts'
import { scorers, type SharedInputs } from './versions.js'

/** What every scorer offers; a released one is a built file, and offers nothing else. */
interface RepeatingScorer {
  readonly decideAgain: (recorded: ReportGenerated, shared: SharedInputs) => ReportGenerated
}

const byVersion: Readonly<Record<string, RepeatingScorer>> = scorers

/**
 * Decides a recorded screening again from its record and the events it names by hash (level A). The result equals the record byte for byte, unless
 * someone changed the record or the code. Throws a RangeError for a scorer version that this build does not contain.
 */
export function recompute(recorded: ReportGenerated, shared: SharedInputs): ReportGenerated {
  const { scorerVersion } = recorded.inputs
  const scorer = Object.hasOwn(byVersion, scorerVersion) ? byVersion[scorerVersion] : undefined
  if (scorer === undefined) throw new RangeError(`unknown_scorer_version: ${scorerVersion}`)
  return scorer.decideAgain(recorded, shared)
}

/** Paths at which a record and its recomputation differ, such as `inputs.labels.0.used`; empty where they are equal. */
export function differences(recorded: unknown, recomputed: unknown, path = ''): readonly string[] {
  if (Object.is(recorded, recomputed)) return []
  if (!isComposite(recorded) || !isComposite(recomputed)) return [path]
  const names = new Set([...Object.keys(recorded), ...Object.keys(recomputed)])
  return [...names].flatMap((name) =>
    differences(recorded[name], recomputed[name], path === '' ? name : `${path}.${name}`),
  )
}

function isComposite(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
