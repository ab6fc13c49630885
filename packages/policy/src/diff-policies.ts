/**
 * Shows which stored reports another policy would have changed: each is decided again from its recorded inputs under both
 * policies. The inputs stay as recorded: labels, chain facts, and the exposure found under the limits of that time.
 */
import {
  MissingSharedInputError,
  openSharedInputs,
  readStoredReports,
  type ReadingProgress,
} from '@cupel/proofs'
import type { LabelStateRecorded, Report, ReportGenerated } from '@cupel/contracts'
import { recompute, type CompiledPolicy } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { changedSettings, withSettingOf, type ChangedSetting } from './changed-settings.js'

export interface PolicyDiffOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly a: CompiledPolicy
  readonly b: CompiledPolicy
  /** Only reports recorded at or after this time; UTC, RFC 3339. */
  readonly since?: string | undefined
  /** Limit of the listed flips; all flips are counted. */
  readonly maxFlips: number
  readonly onProgress?: (progress: ReadingProgress) => void
}

export interface Flip {
  readonly reportId: string
  readonly address: string
  readonly chain: string
  readonly generatedAt: string
  readonly from: Outcome
  readonly to: Outcome
  /** Settings of which each alone causes the flip; empty if it takes several. */
  readonly causes: readonly string[]
}

export interface Outcome {
  readonly level: string
  readonly score: number
  readonly levelReasons: readonly string[]
  /** Category and origin of the decisive evidence. */
  readonly decisive: string | null
}

export interface PolicyDiff {
  readonly a: PolicyName
  readonly b: PolicyName
  readonly settings: readonly ChangedSetting[]
  /** Live reports that were decided again. */
  readonly reports: number
  /** Reports that could not be decided again; `cupel audit recompute` says why. */
  readonly undecidable: number
  readonly changedScores: number
  readonly changedLevels: number
  readonly transitions: readonly { readonly from: string; readonly to: string; readonly count: number }[]
  readonly causes: readonly { readonly setting: string; readonly count: number }[]
  readonly flips: readonly Flip[]
  readonly flipsOmitted: number
}

export interface PolicyName {
  readonly id: string
  readonly version: number
  readonly sha256: string
}

/** Stands for flips that no single setting causes. */
export const SEVERAL_SETTINGS = 'several together'

export async function diffPolicies(options: PolicyDiffOptions): Promise<PolicyDiff> {
  const { a, b, maxFlips } = options
  const settings = changedSettings(a.document, b.document)
  const between = settings.flatMap((setting) => {
    const policy = withSettingOf(a.document, setting)
    return policy === null ? [] : [{ path: setting.path, policy }]
  })
  const counts = { reports: 0, undecidable: 0, changedScores: 0, changedLevels: 0 }
  const transitions = new Map<string, number>()
  const causes = new Map<string, number>()
  const flips: Flip[] = []
  const undecidable = (): void => void (counts.undecidable += 1)

  const sharedInputs = openSharedInputs(options)
  for await (const batch of readStoredReports({ ...options, livemode: true, onUndecodable: undecidable })) {
    for (const { report } of batch) {
      const shared = await sharedInputs.of(report.data).catch(missingInput)
      if (shared === null) {
        undecidable()
        continue
      }
      const flip = compare(
        { recorded: report.data, labelState: shared.labelState },
        { a, b, between, counts },
      )
      if (flip === null) continue
      count(transitions, JSON.stringify([flip.from.level, flip.to.level]))
      for (const cause of flip.causes.length === 0 ? [SEVERAL_SETTINGS] : flip.causes) count(causes, cause)
      if (flips.length < maxFlips) flips.push(flip)
    }
  }
  return {
    a: nameOf(a),
    b: nameOf(b),
    settings,
    ...counts,
    transitions: sorted(transitions).map(([key, number]) => {
      const [from, to] = JSON.parse(key) as [string, string]
      return { from, to, count: number }
    }),
    causes: sorted(causes).map(([setting, number]) => ({ setting, count: number })),
    flips,
    flipsOmitted: counts.changedLevels - flips.length,
  }
}

interface Comparison {
  readonly a: CompiledPolicy
  readonly b: CompiledPolicy
  readonly between: readonly { readonly path: string; readonly policy: CompiledPolicy }[]
  readonly counts: Record<'reports' | 'undecidable' | 'changedScores' | 'changedLevels', number>
}

function missingInput(error: unknown): null {
  if (error instanceof MissingSharedInputError) return null
  throw error
}

interface DecidedReport {
  readonly recorded: ReportGenerated
  readonly labelState: LabelStateRecorded
}

/** The flip of a report; null if its level stays the same. */
function compare(decided: DecidedReport, { a, b, between, counts }: Comparison): Flip | null {
  const { recorded } = decided
  let [before, after]: (ReportGenerated | null)[] = [null, null]
  try {
    before = under(decided, a)
    after = under(decided, b)
  } catch {
    // A damaged record, or one of a scorer that this build lacks. It is counted here; `cupel audit recompute` names it.
    counts.undecidable += 1
    return null
  }
  counts.reports += 1
  if (before.score !== after.score) counts.changedScores += 1
  if (before.level === after.level) return null
  counts.changedLevels += 1
  const to = after
  return {
    reportId: recorded.reportId,
    address: recorded.address,
    chain: recorded.chain,
    generatedAt: recorded.generatedAt,
    from: outcomeOf(before),
    to: outcomeOf(after),
    causes: between.filter(({ policy }) => under(decided, policy).level === to.level).map(({ path }) => path),
  }
}

/** The decision from the same inputs under another policy. */
function under({ recorded, labelState }: DecidedReport, policy: CompiledPolicy): ReportGenerated {
  return recompute(recorded, { labelState, policyDocument: policy.canonical })
}

function outcomeOf({ level, score, levelReasons, report }: ReportGenerated): Outcome {
  const { risk } = JSON.parse(report) as Report
  const decisive = risk.evidence.find((item) => item.decisive)
  return {
    level,
    score,
    levelReasons,
    decisive: decisive === undefined ? null : `${decisive.category} by ${decisive.origin}`,
  }
}

const nameOf = ({ document: { id, version }, sha256 }: CompiledPolicy): PolicyName => ({
  id,
  version,
  sha256,
})

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const sorted = (counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1))
