/** What a batch of screenings rests on, read in one statement and so in one snapshot: labels, sets, policy, and how current they are. */
import type { LogIdentity } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import type { ActivePolicy } from '../policy-view/queries.js'
import { LABEL_EXPRESSIONS, labelOf, visibleLabels, type CompactLabel, type Label } from './labels.js'
import { LABEL_PARTITION, LABEL_TOPIC, labelViewGroup } from './reducers.js'
import { setsInForce, type PublishedSet } from './sets.js'

/** Where the label view stands. The end of the label topic is the log's to tell. */
export interface LabelViewCheckpoint {
  readonly next: number
  readonly log: LogIdentity
  /** Since the view was last seen at the end of its topic, by the database's clock; null if it never was. */
  readonly followedAgeMs: number | null
}

export interface LabelSnapshot {
  /** Names this state of all labels; 0 before the first publication. */
  readonly labelSetSeq: number
  /** The sets in force; null where `knownSetsSeq` is this state's, so the caller has them already. */
  readonly sets: readonly PublishedSet[] | null
  /** 0 before the first activation. */
  readonly policySeq: number
  /** The policy in force; null before the first activation or where `knownPolicySeq` is its number. */
  readonly policy: ActivePolicy | null
  /** Null where no projector ever read the label topic. */
  readonly checkpoint: LabelViewCheckpoint | null
  /** Every visible label of any of the keys, listed or ended, in the order of the log. */
  readonly labels: readonly Label[]
}

const SNAPSHOT = {
  name: 'label-view.snapshot',
  text: `
    SELECT state.seq AS label_set_seq,
      CASE WHEN state.seq <> $2 THEN ${setsInForce(null)} END AS sets,
      coalesce(policy.policy_seq, 0) AS policy_seq,
      CASE WHEN policy.policy_seq <> $3 THEN json_build_object(
        'policySeq', policy.policy_seq, 'policyId', policy.policy_id, 'version', policy.version,
        'document', policy.document, 'sha256', policy.sha256, 'activatedBy', policy.activated_by,
        'reason', policy.reason, 'activatedAt', policy.activated_at) END AS policy,
      checkpoint.next, checkpoint.log,
      (extract(epoch FROM now() - checkpoint.followed_at) * 1000)::int8 AS followed_age_ms,
      (SELECT json_agg(json_build_array(${LABEL_EXPRESSIONS.join(', ')}) ORDER BY l.log_offset)
       FROM ${visibleLabels(null)} WHERE l.lookup_key = ANY ($1::text[])) AS labels
    FROM (SELECT coalesce(max(label_set_seq), 0) AS seq FROM label_view.publication) state
    LEFT JOIN (SELECT * FROM policy_view.activation ORDER BY policy_seq DESC LIMIT 1) policy ON true
    LEFT JOIN projection.checkpoint checkpoint
      ON checkpoint.group_name = '${labelViewGroup}' AND checkpoint.topic = '${LABEL_TOPIC}'
      AND checkpoint.partition = ${LABEL_PARTITION}`,
}

interface SnapshotRow extends Record<string, unknown> {
  label_set_seq: number
  sets: PublishedSet[] | null
  policy_seq: number
  policy: ActivePolicy | null
  next: number | null
  log: string | null
  followed_age_ms: number | null
  labels: CompactLabel[] | null
}

/**
 * Reads the snapshot for a batch. Sets and policy change rarely and are sent only when their number is not the one the
 * caller holds. Keys without labels cost an index probe each.
 */
export async function readLabelSnapshot(
  database: Queryable,
  {
    lookupKeys,
    knownSetsSeq = -1,
    knownPolicySeq = -1,
  }: { lookupKeys: readonly string[]; knownSetsSeq?: number; knownPolicySeq?: number },
): Promise<LabelSnapshot> {
  const [row] = await database.query<SnapshotRow>(SNAPSHOT, [lookupKeys, knownSetsSeq, knownPolicySeq])
  if (row === undefined) throw new Error('The label snapshot has one row')
  return {
    labelSetSeq: row.label_set_seq,
    sets: row.sets,
    policySeq: row.policy_seq,
    policy: row.policy,
    checkpoint:
      row.next === null || row.log === null
        ? null
        : { next: row.next, log: row.log, followedAgeMs: row.followed_age_ms },
    labels: (row.labels ?? []).map(labelOf),
  }
}

const AS_OF = {
  name: 'label-view.as-of',
  text: `
    SELECT ${setsInForce('$2::int8')} AS sets,
      (SELECT json_agg(json_build_array(${LABEL_EXPRESSIONS.join(', ')}) ORDER BY l.log_offset)
       FROM ${visibleLabels('$2::int8')} WHERE l.lookup_key = ANY ($1::text[])) AS labels`,
}

/** The sets and labels that readLabelSnapshot gave, or would have given, while the state was `labelSetSeq`. */
export async function readLabelsAsOf(
  database: Queryable,
  { lookupKeys, labelSetSeq }: { lookupKeys: readonly string[]; labelSetSeq: number },
): Promise<{ readonly sets: readonly PublishedSet[]; readonly labels: readonly Label[] }> {
  const [row] = await database.query<{ sets: PublishedSet[]; labels: CompactLabel[] | null }>(AS_OF, [
    lookupKeys,
    labelSetSeq,
  ])
  return { sets: row?.sets ?? [], labels: (row?.labels ?? []).map(labelOf) }
}
