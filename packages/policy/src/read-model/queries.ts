import { asFields, type Queryable } from '@cupel/postgres'

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

const FIELDS = asFields(
  'policy_seq, policy_id, version, document, sha256, activated_by, reason, activated_at',
)

/** The policy in force; null before the first activation. */
export async function readActivePolicy(database: Queryable): Promise<ActivePolicy | null> {
  const [policy] = await listPolicies(database, { limit: 1 })
  return policy ?? null
}

/** The policy that was in force at a moment, `at` in UTC, RFC 3339; null before the first activation. */
export async function readPolicyAt(database: Queryable, at: string): Promise<ActivePolicy | null> {
  const [policy] = await database.query<ActivePolicy>(
    {
      name: 'policy-view.at',
      text: `SELECT ${FIELDS} FROM policy_view.activation WHERE activated_at::timestamptz <= $1::timestamptz
             ORDER BY policy_seq DESC LIMIT 1`,
    },
    [at],
  )
  return policy ?? null
}

/** Activations, newest first. */
export async function listPolicies(
  database: Queryable,
  { limit }: { limit: number },
): Promise<ActivePolicy[]> {
  return await database.query<ActivePolicy>(
    {
      name: 'policy-view.list',
      text: `SELECT ${FIELDS} FROM policy_view.activation ORDER BY policy_seq DESC LIMIT $1`,
    },
    [limit],
  )
}
