/**
 * Finds the stored reports that another policy would have changed: each is decided again from its recorded inputs under both
 * policies. The inputs stay as recorded: labels, chain facts, and the exposure found under the limits of that time.
 */
import { setImmediate } from 'node:timers/promises'
import {
  MissingSharedInputError,
  openSharedInputs,
  readStoredReports,
  type ReadingProgress,
  type SharedInputsReader,
  type StoredReport,
} from '@cupel/evidence/proofs'
import type { LabelStateRecorded, Report, ReportGenerated } from '@cupel/contracts'
import { recompute, type CompiledPolicy, type SharedInputs } from '@cupel/domain'
import type { EventCodec, AuthenticLog } from '@cupel/event-log'
import { changedSettings, withSettingOf, type ChangedSetting } from './changed-settings.js'

export interface PolicyDiffOptions {
  readonly log: AuthenticLog
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
  /** Settings that each cause the flip on their own; empty if it takes several. */
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
  /** Transfers for which another recommendation follows, whether or not the level of the counterparty changes. */
  readonly changedRecommendations: number
  readonly recommendations: readonly { readonly from: string; readonly to: string; readonly count: number }[]
  /** Number of reports that keep their level, by level. */
  readonly unchanged: readonly { readonly level: string; readonly count: number }[]
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
  return await comparePolicies({
    ...options,
    sharedInputs: openSharedInputs(options),
    reports: (onUndecodable) => readStoredReports({ ...options, livemode: true, onUndecodable }),
    explain: 'all',
  })
}

export interface ComparisonOptions extends Pick<PolicyDiffOptions, 'a' | 'b' | 'maxFlips'> {
  readonly sharedInputs: SharedInputsReader
  /** The reports to decide again, in batches. The callback is called for each one that cannot be read. */
  readonly reports: (onUndecodable: () => void) => AsyncIterable<readonly Pick<StoredReport, 'report'>[]>
  /** The flips whose causes are searched for: all, or only the listed ones. Each setting costs a decision. */
  readonly explain: 'all' | 'listed'
}

/** Decides each report again under both policies. Other work of the process runs between two reports. */
export async function comparePolicies(options: ComparisonOptions): Promise<PolicyDiff> {
  const { a, b, maxFlips, sharedInputs } = options
  const settings = changedSettings(a.document, b.document)
  const between = settings.flatMap((setting) => {
    const policy = withSettingOf(a.document, setting)
    return policy === null ? [] : [{ path: setting.path, policy }]
  })
  const counts = { reports: 0, undecidable: 0, changedScores: 0, changedLevels: 0, changedRecommendations: 0 }
  const [transitions, recommendations, unchanged, causes] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ]
  const flips: Flip[] = []
  const undecidable = (): void => void (counts.undecidable += 1)
  for await (const batch of options.reports(undecidable)) {
    for (const { report } of batch) {
      await setImmediate()
      const shared = await sharedInputs.of(report.data).catch(missingInput)
      const decided = shared === null ? null : decideTwice(report.data, shared, a, b)
      if (decided === null) {
        undecidable()
        continue
      }
      const { before, after } = decided
      counts.reports += 1
      if (before.score !== after.score) counts.changedScores += 1
      if (before.recommendation !== after.recommendation) {
        counts.changedRecommendations += 1
        count(recommendations, JSON.stringify([before.recommendation, after.recommendation]))
      }
      if (before.level === after.level) {
        count(unchanged, before.level)
        continue
      }
      counts.changedLevels += 1
      count(transitions, JSON.stringify([before.level, after.level]))
      const isListed = flips.length < maxFlips
      if (!isListed && options.explain === 'listed') continue
      const flip = flipOf(decided, between)
      for (const cause of flip.causes.length === 0 ? [SEVERAL_SETTINGS] : flip.causes) count(causes, cause)
      if (isListed) flips.push(flip)
    }
  }
  return {
    a: nameOf(a),
    b: nameOf(b),
    settings,
    ...counts,
    transitions: sorted(transitions).map(moveOf),
    recommendations: sorted(recommendations).map(moveOf),
    unchanged: sorted(unchanged).map(([level, number]) => ({ level, count: number })),
    causes: sorted(causes).map(([setting, number]) => ({ setting, count: number })),
    flips,
    flipsOmitted: counts.changedLevels - flips.length,
  }
}

function moveOf([key, number]: readonly [string, number]): PolicyDiff['transitions'][number] {
  const [from, to] = JSON.parse(key) as [string, string]
  return { from, to, count: number }
}

interface Decided {
  readonly recorded: ReportGenerated
  readonly labelState: LabelStateRecorded
  readonly before: ReportGenerated
  readonly after: ReportGenerated
}

/** Null for a damaged record, and for a record of a scorer that this build lacks; `cupel audit recompute` names it. */
function decideTwice(
  recorded: ReportGenerated,
  { labelState }: Pick<SharedInputs, 'labelState'>,
  a: CompiledPolicy,
  b: CompiledPolicy,
): Decided | null {
  try {
    const [before, after] = [under(recorded, labelState, a), under(recorded, labelState, b)]
    return { recorded, labelState, before, after }
  } catch {
    return null
  }
}

function flipOf(
  { recorded, labelState, before, after }: Decided,
  between: readonly { readonly path: string; readonly policy: CompiledPolicy }[],
): Flip {
  return {
    reportId: recorded.reportId,
    address: recorded.address,
    chain: recorded.chain,
    generatedAt: recorded.generatedAt,
    from: outcomeOf(before),
    to: outcomeOf(after),
    causes: between
      .filter(({ policy }) => under(recorded, labelState, policy).level === after.level)
      .map(({ path }) => path),
  }
}

function missingInput(error: unknown): null {
  if (error instanceof MissingSharedInputError) return null
  throw error
}

/** The decision from the same inputs under another policy. */
function under(
  recorded: ReportGenerated,
  labelState: LabelStateRecorded,
  policy: CompiledPolicy,
): ReportGenerated {
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
