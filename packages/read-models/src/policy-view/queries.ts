import type { Queryable } from '@cupel/postgres'

export interface ActivePolicy {
  /** Number of the activation, from 1. It changes exactly when another policy comes into force. */
  readonly policySeq: number
  readonly policyId: string
  readonly version: number
  /** RFC 8785 JSON. */
  readonly document: string
  readonly sha256: string
  readonly activatedBy: string
  readonly reason: string
  readonly activatedAt: string
}

interface ActivationRow extends Record<string, unknown> {
  policy_seq: number
  policy_id: string
  version: number
  document: string
  sha256: string
  activated_by: string
  reason: string
  activated_at: string
}

const COLUMNS = 'policy_seq, policy_id, version, document, sha256, activated_by, reason, activated_at'

/** The policy in force, null before the first activation. */
export async function readActivePolicy(database: Queryable): Promise<ActivePolicy | null> {
  const [policy] = await listPolicies(database, { limit: 1 })
  return policy ?? null
}

/** Activations, newest first. */
export async function listPolicies(
  database: Queryable,
  { limit }: { limit: number },
): Promise<ActivePolicy[]> {
  const rows = await database.query<ActivationRow>(
    {
      name: 'policy-view.list',
      text: `SELECT ${COLUMNS} FROM policy_view.activation ORDER BY policy_seq DESC LIMIT $1`,
    },
    [limit],
  )
  return rows.map((row) => ({
    policySeq: row.policy_seq,
    policyId: row.policy_id,
    version: row.version,
    document: row.document,
    sha256: row.sha256,
    activatedBy: row.activated_by,
    reason: row.reason,
    activatedAt: row.activated_at,
  }))
}
