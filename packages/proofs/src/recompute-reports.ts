/**
 * Decides every stored report again. Level A: from its own record, byte for byte. Level B: the labels of its record are read
 * again from the label view, as of the state the record names. Level C: its exposure is worked out again from the ledger.
 */
import type { ConsideredLabel, JudgementInputs, LabelSetState, ReportGenerated } from '@cupel/contracts'
import {
  differences,
  parseAddress,
  recompute,
  sandboxLabels,
  type LabelFacts,
  type LabelSetFacts,
} from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { isUnavailable, type Database } from '@cupel/postgres'
import { labelFacts, newestPublication, readLabelsAsOf, setFacts } from '@cupel/read-models'
import {
  readLedgerStates,
  rederiveExposure,
  restsOnLedger,
  type ExposureAgain,
} from './recompute-exposure.js'
import { readStoredReports, type ReadingProgress, type StoredReport } from './stored-reports.js'

export const recomputeLevels = ['A', 'B', 'C'] as const
export type RecomputeLevel = (typeof recomputeLevels)[number]

export interface RecomputeOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly levels: readonly RecomputeLevel[]
  /** Only reports recorded from then on; UTC, RFC 3339. */
  readonly since?: string | undefined
  readonly reportId?: string | undefined
  readonly onProgress?: (progress: ReadingProgress) => void
  /** Findings kept for the answer; all are counted. */
  readonly maxFindings: number
  readonly maxIds?: number
}

export type RecomputeStatus =
  | 'same'
  /** The paths say where. */
  | 'differs'
  /** It could not be decided again at all: an unknown scorer, a record that is no event. Never counts as the same. */
  | 'failed'
  /** What it was derived from is gone; the reason says what. */
  | 'not-derivable'
  /** The record rests on nothing of this level. */
  | 'nothing-recorded'

export interface RecomputeFinding {
  readonly reportId: string
  readonly level: RecomputeLevel
  readonly status: Exclude<RecomputeStatus, 'same' | 'nothing-recorded'>
  /** Names from the record's root, joined by dots. */
  readonly paths: readonly string[]
  readonly reason: string | null
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

export type LevelCounts = Record<RecomputeStatus, number>

export interface RecomputeResult {
  readonly reports: number
  readonly levels: Readonly<Partial<Record<RecomputeLevel, LevelCounts>>>
  readonly findings: readonly RecomputeFinding[]
  readonly findingsOmitted: number
  /** No report differs, and every one could be decided again. */
  readonly isProven: boolean
}

/** Paths named of one report; a label that was exchanged differs in each of its fields. */
const MAX_PATHS = 50
/** Reports whose labels are read in one statement. */
const LABEL_BATCH = 500

interface Verdict {
  readonly status: RecomputeStatus
  readonly paths: readonly string[]
  readonly reason: string | null
}

const same: Verdict = { status: 'same', paths: [], reason: null }

export async function recomputeReports(options: RecomputeOptions): Promise<RecomputeResult> {
  const { levels, maxFindings } = options
  const counts = Object.fromEntries(levels.map((level) => [level, noCounts()])) as Partial<
    Record<RecomputeLevel, LevelCounts>
  >
  const findings: RecomputeFinding[] = []
  let omitted = 0
  let reports = 0
  const note = (level: RecomputeLevel, verdict: Verdict, place: Omit<StoredReport, 'report'>, id: string) => {
    const { status } = verdict
    counts[level]![status] += 1
    if (status === 'same' || status === 'nothing-recorded') return
    if (findings.length === maxFindings) omitted += 1
    else {
      const { topic, partition, offset } = place
      findings.push({ reportId: id, level, ...verdict, status, topic, partition, offset })
    }
  }
  const undecodable = (error: unknown, record: Omit<StoredReport, 'report'> & { key: string }): void => {
    reports += 1
    for (const level of levels) note(level, failed(error), record, record.key)
  }

  for await (const batch of readStoredReports({ ...options, onUndecodable: undecodable })) {
    reports += batch.length
    for (const level of levels) {
      const verdicts = await judges[level](batch, options)
      batch.forEach((stored, index) => note(level, verdicts[index]!, stored, stored.report.data.reportId))
    }
  }
  const isProven = levels.every((level) => counts[level]!.differs === 0 && counts[level]!.failed === 0)
  return { reports, levels: counts, findings, findingsOmitted: omitted, isProven }
}

const noCounts = (): LevelCounts => ({
  same: 0,
  differs: 0,
  failed: 0,
  'not-derivable': 0,
  'nothing-recorded': 0,
})

type Judge = (batch: readonly StoredReport[], options: RecomputeOptions) => Promise<readonly Verdict[]>

const judges: Readonly<Record<RecomputeLevel, Judge>> = {
  A: async (batch) => batch.map(({ report }) => decideAgain(report.data)),
  B: async (batch, { database }) => readLabelsAgain(batch, database),
  C: async (batch, { database }) => deriveExposureAgain(batch, database),
}

function failed(error: unknown): Verdict {
  return { status: 'failed', paths: [], reason: error instanceof Error ? error.message : String(error) }
}

function compared(recorded: unknown, again: unknown): Verdict {
  const paths = differences(recorded, again)
  return paths.length === 0 ? same : { status: 'differs', paths: paths.slice(0, MAX_PATHS), reason: null }
}

/** Level A. A record whose policy or versions were spoilt cannot be decided at all, which is found just the same. */
function decideAgain(recorded: ReportGenerated): Verdict {
  try {
    return compared(recorded, recompute(recorded))
  } catch (error) {
    return failed(error)
  }
}

/** Level B. */
async function readLabelsAgain(
  batch: readonly StoredReport[],
  database: Database,
): Promise<readonly Verdict[]> {
  const verdicts = new Map<StoredReport, Verdict>()
  const bySeq = new Map<number, StoredReport[]>()
  for (const stored of batch) {
    const { data } = stored.report
    if (!data.livemode) verdicts.set(stored, compared(labelInputs(data.inputs), sandboxInputs(data)))
    else {
      const { labelSetSeq } = data.inputs
      const group = bySeq.get(labelSetSeq) ?? []
      if (group.push(stored) === 1) bySeq.set(labelSetSeq, group)
    }
  }
  const newest = await newestLabelSet(database)
  const activated = await activatedPolicies(database)
  for (const [labelSetSeq, group] of bySeq) {
    for (let from = 0; from < group.length; from += LABEL_BATCH) {
      const part = group.slice(from, from + LABEL_BATCH)
      const read =
        labelSetSeq > newest
          ? part.map(() =>
              failed(`The label view holds ${newest} publications, the record rests on ${labelSetSeq}.`),
            )
          : await compareLabels(part, labelSetSeq, database)
      part.forEach((stored, index) => verdicts.set(stored, read[index]!))
    }
  }
  return batch.map((stored) => {
    const { data } = stored.report
    const verdict = verdicts.get(stored)!
    if (verdict.status === 'failed' || !data.livemode || activated.has(data.inputs.policySha256))
      return verdict
    return { status: 'differs', paths: [...verdict.paths, 'inputs.policySha256'], reason: NEVER_ACTIVATED }
  })
}

const NEVER_ACTIVATED = 'The policy of the record was never activated here.'

/** A policy is read at the same time as the labels: one that was never in force decided nothing. */
async function activatedPolicies(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ sha256: string }>('SELECT DISTINCT sha256 FROM policy_view.activation')
  return new Set(rows.map(({ sha256 }) => sha256))
}

async function newestLabelSet(database: Database): Promise<number> {
  const [row] = await database.query<{ newest: number }>(
    'SELECT coalesce(max(label_set_seq), 0) AS newest FROM label_view.publication',
  )
  return row?.newest ?? 0
}

async function compareLabels(
  group: readonly StoredReport[],
  labelSetSeq: number,
  database: Database,
): Promise<Verdict[]> {
  const keys = group.map(({ report: { data } }) => {
    const parsed = parseAddress(data.canonicalAddress, data.chain)
    return parsed.ok ? parsed.lookupKey : null
  })
  const { sets, labels } = await readLabelsAsOf(database, {
    lookupKeys: [...new Set(keys.filter((key) => key !== null))],
    labelSetSeq,
  })
  const standing = { labelsAsOf: newestPublication(sets), labelSets: sets.map(setFacts) }
  const byKey = new Map<string, LabelFacts[]>()
  for (const label of labels) {
    const known = byKey.get(label.lookupKey) ?? []
    if (known.push(labelFacts(label)) === 1) byKey.set(label.lookupKey, known)
  }
  return group.map(({ report }, index) => {
    const key = keys[index]!
    if (key === null) return failed('The canonical address of the record is no address of its chain.')
    return compared(labelInputs(report.data.inputs), {
      inputs: { ...standing, labels: byKey.get(key) ?? [] },
    })
  })
}

interface LabelInputs {
  readonly inputs: {
    readonly labelsAsOf: string
    readonly labelSets: readonly LabelSetFacts[]
    readonly labels: readonly LabelFacts[]
  }
}

/** What was read, without what the decision made of it. */
function labelInputs({ labelsAsOf, labelSets, labels }: JudgementInputs): LabelInputs {
  return {
    inputs: { labelsAsOf, labelSets: labelSets.map(setAsRead), labels: labels.map(labelAsRead) },
  }
}

/** What the decision added to what was read. */
const addedToSets: readonly string[] = ['status'] satisfies readonly (keyof LabelSetState)[]
const addedToLabels: readonly string[] = [
  'status',
  'isLiveDesignation',
  'used',
  'reason',
] satisfies readonly (keyof ConsideredLabel)[]

const setAsRead = (set: LabelSetState): LabelSetFacts => without(set, addedToSets)
const labelAsRead = (label: ConsideredLabel): LabelFacts => without(label, addedToLabels)

function without<T>(record: object, names: readonly string[]): T {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name))) as T
}

/** The sandbox knows nothing but its magic addresses. */
function sandboxInputs({ canonicalAddress, chain }: ReportGenerated): LabelInputs {
  const { labelsAsOf, labelSets, labels } = sandboxLabels(canonicalAddress, chain)
  return { inputs: { labelsAsOf, labelSets: [...labelSets], labels: [...labels] } }
}

/** Level C. The ledger is asked only where a report rests on it. */
async function deriveExposureAgain(
  batch: readonly StoredReport[],
  database: Database,
): Promise<readonly Verdict[]> {
  const nothing: Verdict = { status: 'nothing-recorded', paths: [], reason: null }
  if (!batch.some(({ report }) => restsOnLedger(report.data))) return batch.map(() => nothing)
  const states = await readLedgerStates(database)
  const verdicts: Verdict[] = []
  for (const { report } of batch) {
    if (!restsOnLedger(report.data)) verdicts.push(nothing)
    else
      verdicts.push(
        await rederiveExposure(report.data, database, states).then(exposureVerdict, (error: unknown) =>
          isUnavailable(error) ? Promise.reject(error) : failed(error),
        ),
      )
  }
  return verdicts
}

function exposureVerdict(again: ExposureAgain): Verdict {
  if (again.outcome === 'derived') return compared(again.recorded, again.derived)
  return { status: again.outcome, paths: [], reason: again.reason }
}
