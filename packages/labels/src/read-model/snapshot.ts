/** The inputs of a batch of decisions, read by one statement and so in one snapshot: labels, sets, policy, and how current they are. */
import type { LogIdentity } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import type { ActivePolicy } from '@cupel/policy/read-model'
import { askedOwn, ownLabelsInForce, type OwnLabelQuestion, type OwnLabelRow } from './own-labels/queries.js'
import {
  askedParts,
  FOUND_EXPRESSIONS,
  labelOf,
  labelsFoundBy,
  underAskedKeys,
  visibleLabels,
  type CompactLabel,
  type Label,
} from './labels.js'
import { LABEL_PARTITION, LABEL_TOPIC, labelViewGroup } from './reducers.js'
import { setsInForce, type PublishedSet } from './sets.js'

/** The position of the label view. Only the log knows the end of the label topic. */
export interface LabelViewCheckpoint {
  readonly next: number
  readonly log: LogIdentity
  /** Time since the view was last at the end of its topic, by the clock of the database; null if it never was. */
  readonly followedAgeMs: number | null
}

export interface LabelSnapshot {
  /** Identifies this state of all labels; 0 before the first publication. */
  readonly labelSetSeq: number
  /** The current sets; null if `knownSetsSeq` is the number of this state, so that the caller has them. */
  readonly sets: readonly PublishedSet[] | null
  /** 0 before the first activation. */
  readonly policySeq: number
  /** The policy in force; null before the first activation, or if `knownPolicySeq` is its number. */
  readonly policy: ActivePolicy | null
  /** Null if no projector ever read the label topic. */
  readonly checkpoint: LabelViewCheckpoint | null
  /**
   * Identifies the source of the labels: these tables, and this position of this log. Equal states have equal labels. Null if there is
   * no view, or no publication.
   */
  readonly state: string | null
  /** All visible labels of the keys, current or ended; those of one key in the order of the log. */
  readonly labels: readonly Label[]
  /** The labels that accounts state themselves and have not removed, for `ownLabelsOf`. */
  readonly own: readonly OwnLabelRow[]
}

/** SQL for the labels of keys, as one JSON array in the order of the log. */
const foundLabels = (upTo: string | null, keys: string): string => `
      (SELECT json_agg(json_build_array(${FOUND_EXPRESSIONS.join(', ')}) ORDER BY l.log_offset, l.label_id)
       FROM ${visibleLabels(upTo, labelsFoundBy(keys))})`

/** Needed by every batch: the numbers of the states of labels and policy, how current the view is, and the labels of the keys. */
const standing = (): string => `
      state.seq AS label_set_seq, coalesce(policy.policy_seq, 0) AS policy_seq,
      checkpoint.next, checkpoint.log,
      (SELECT tableoid::int8 FROM label_view.publication LIMIT 1) AS tables,
      (extract(epoch FROM now() - checkpoint.followed_at) * 1000)::int8 AS followed_age_ms,
      ${foundLabels(null, keptPlan('$1::text[]'))} AS labels,
      ${ownLabelsInForce(keptPlan('$2::text[]'), keptPlan('$3::text[]'))} AS own
    FROM (SELECT coalesce(max(label_set_seq), 0) AS seq FROM label_view.publication) state
    LEFT JOIN (SELECT * FROM policy_view.activation ORDER BY policy_seq DESC LIMIT 1) policy ON true
    LEFT JOIN projection.checkpoint checkpoint
      ON checkpoint.group_name = '${labelViewGroup}' AND checkpoint.topic = '${LABEL_TOPIC}'
      AND checkpoint.partition = ${LABEL_PARTITION}`

/**
 * Hides the length of an array from the planner. Otherwise the planner prefers a plan for this array to a generic one and plans
 * every look-up again, which takes several times as long as the look-up (PostgreSQL documentation, PREPARE, "Notes").
 */
function keptPlan(array: string): string {
  return `(SELECT ${array})::text[]`
}

// Made by marked calls, so that programs that never look up need no rights on what these statements read.
const lookUp = () => ({ name: 'label-view.look-up', text: `SELECT ${standing()}` })
const LOOK_UP = /* @__PURE__ */ lookUp()

/** The same with sets and policy. A separate statement, because Postgres also initialises parts of a plan that it never runs. */
const snapshot = () => ({
  name: 'label-view.snapshot',
  text: `
    SELECT ${setsInForce(null)} AS sets,
      CASE WHEN policy.policy_seq IS NOT NULL THEN json_build_object(
        'policySeq', policy.policy_seq, 'policyId', policy.policy_id, 'version', policy.version,
        'document', policy.document, 'sha256', policy.sha256, 'activatedBy', policy.activated_by,
        'reason', policy.reason, 'activatedAt', policy.activated_at) END AS policy, ${standing()}`,
})
const SNAPSHOT = /* @__PURE__ */ snapshot()

interface LookUpRow extends Record<string, unknown> {
  label_set_seq: number
  policy_seq: number
  next: number | null
  log: string | null
  /** A rebuild replaces these tables by others. */
  tables: number | null
  followed_age_ms: number | null
  labels: CompactLabel[] | null
  own: OwnLabelRow[] | null
}

interface SnapshotRow extends LookUpRow {
  sets: PublishedSet[]
  policy: ActivePolicy | null
}

const NOTHING_KNOWN = -1

export interface SnapshotWanted {
  readonly lookupKeys: readonly string[]
  readonly own?: readonly OwnLabelQuestion[]
  /** Numbers of the states of sets and policy that the caller has. */
  readonly knownSetsSeq?: number
  readonly knownPolicySeq?: number
}

/**
 * Reads the snapshot for a batch. Sets and policy change rarely: for a caller that passes the numbers it knows, only the labels
 * are read while both are current; if one has changed, everything is read again by one statement. A key without labels costs
 * one index probe.
 */
export async function readLabelSnapshot(
  database: Queryable,
  { lookupKeys, own = [], knownSetsSeq = NOTHING_KNOWN, knownPolicySeq = NOTHING_KNOWN }: SnapshotWanted,
): Promise<LabelSnapshot> {
  const values = [askedParts(lookupKeys), ...askedOwn(own)]
  if (knownSetsSeq !== NOTHING_KNOWN && knownPolicySeq !== NOTHING_KNOWN) {
    const row = only(await database.query<LookUpRow>(LOOK_UP, values))
    if (row.label_set_seq === knownSetsSeq && row.policy_seq === knownPolicySeq)
      return snapshotOf({ ...row, sets: null, policy: null }, lookupKeys)
  }
  const row = only(await database.query<SnapshotRow>(SNAPSHOT, values))
  const sets = row.label_set_seq === knownSetsSeq ? null : row.sets
  return snapshotOf(
    { ...row, sets, policy: row.policy_seq === knownPolicySeq ? null : row.policy },
    lookupKeys,
  )
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('The query of the label snapshot returned no row')
  return row
}

function snapshotOf(
  row: LookUpRow & Pick<LabelSnapshot, 'sets' | 'policy'>,
  lookupKeys: readonly string[],
): LabelSnapshot {
  return {
    labelSetSeq: row.label_set_seq,
    sets: row.sets,
    policySeq: row.policy_seq,
    policy: row.policy,
    checkpoint:
      row.next === null || row.log === null
        ? null
        : { next: row.next, log: row.log, followedAgeMs: row.followed_age_ms },
    state: stateOf(row),
    labels: underAskedKeys((row.labels ?? []).map(labelOf), lookupKeys),
    own: row.own ?? [],
  }
}

function stateOf({ tables, next, log, label_set_seq: seq }: LookUpRow): string | null {
  return typeof tables !== 'number' || next === null || log === null
    ? null
    : `${tables}/${log}/${next}/${seq}`
}

const AS_OF = {
  name: 'label-view.as-of',
  text: `
    SELECT ${setsInForce('$2::int8')} AS sets,
      ${foundLabels('$2::int8', '$1::text[]')} AS labels`,
}

const LABELS_AS_OF = {
  name: 'label-view.labels-as-of',
  text: `SELECT ${foundLabels('$2::int8', keptPlan('$1::text[]'))} AS labels`,
}

/** The labels without the sets, which name every listed party. */
export async function readOnlyLabelsAsOf(
  database: Queryable,
  { lookupKeys, labelSetSeq }: { readonly lookupKeys: readonly string[]; readonly labelSetSeq: number },
): Promise<readonly Label[]> {
  const values = [askedParts(lookupKeys), labelSetSeq]
  const [row] = await database.query<{ labels: CompactLabel[] | null }>(LABELS_AS_OF, values)
  return underAskedKeys((row?.labels ?? []).map(labelOf), lookupKeys)
}

/** The sets and labels that readLabelSnapshot returns in the state `labelSetSeq`. */
export async function readLabelsAsOf(
  database: Queryable,
  { lookupKeys, labelSetSeq }: { lookupKeys: readonly string[]; labelSetSeq: number },
): Promise<{ readonly sets: readonly PublishedSet[]; readonly labels: readonly Label[] }> {
  const [row] = await database.query<{ sets: PublishedSet[]; labels: CompactLabel[] | null }>(AS_OF, [
    askedParts(lookupKeys),
    labelSetSeq,
  ])
  return { sets: row?.sets ?? [], labels: underAskedKeys((row?.labels ?? []).map(labelOf), lookupKeys) }
}
