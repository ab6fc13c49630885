/** GET /v1/policy: the policy by which screenings are decided now. */
import type { Caller } from '@cupel/gate/access'
import { policyDocumentSchema } from '@cupel/contracts'
import { compiledDefaultPolicy, compilePolicyText, type CompiledPolicy } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { readActivePolicy } from '../read-model/index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Answer, type Endpoint, refuse, type Refusal } from '@cupel/gate/http'

export interface PolicyInForce {
  readonly policy: CompiledPolicy
  /** UTC, RFC 3339; null in the sandbox, whose policy never changes. */
  readonly activatedAt: string | null
}

/** Null before the first activation: nothing is screened until then. */
export async function readPolicyInForce(
  database: Queryable,
  { livemode }: Pick<Caller, 'livemode'>,
): Promise<PolicyInForce | null> {
  if (!livemode) return { policy: compiledDefaultPolicy, activatedAt: null }
  const active = await readActivePolicy(database)
  return active === null
    ? null
    : { policy: compilePolicyText(active.document), activatedAt: active.activatedAt }
}

export function noPolicyYet(): Refusal {
  return refuse('unavailable', 'No policy is in force yet.', { retryAfterSeconds: 1 })
}

export const policyDocumentComponent = policyDocumentSchema.meta({ id: 'PolicyDocument' })

const policySchema = z
  .object({
    id: z.string(),
    version: z.int().min(1),
    sha256: z.string().describe('SHA-256, lowercase hex, of the document in RFC 8785 form.'),
    activated_at: z
      .string()
      .nullable()
      .describe('Since when it is in force; null in the sandbox, whose policy never changes.'),
    document: policyDocumentComponent,
  })
  .meta({ id: 'Policy', description: 'The policy in force.' })

export function policyAnswer({ policy, activatedAt }: PolicyInForce): z.infer<typeof policySchema> {
  const { document, sha256 } = policy
  const { id, version } = document
  return {
    ...{ id, version, sha256, activated_at: activatedAt },
    document: document as z.infer<typeof policyDocumentSchema>,
  }
}

export function getPolicy(read: (caller: Caller) => Promise<PolicyInForce | null>): Endpoint {
  return keyedEndpoint({
    operationId: 'getPolicy',
    method: 'GET',
    path: '/v1/policy',
    tag: 'Policy',
    summary: 'Get the policy in force',
    description:
      'Every number of the judgement that an operator can set, as it is now. A report names the policy that decided it by id and version.',
    access: 'read-only',
    answers: [
      {
        status: 200,
        description: 'The policy.',
        contentType: 'application/json',
        schema: policySchema,
        example: policyAnswer({ policy: compiledDefaultPolicy, activatedAt: '2026-11-20T09:00:00.000Z' }),
      },
    ],
    problems: ['unavailable'],
    async handle({ caller }): Promise<Answer | Refusal> {
      const inForce = await read(caller)
      return inForce === null ? noPolicyYet() : jsonAnswer(200, JSON.stringify(policyAnswer(inForce)))
    },
  })
}
