/** Own labels as the API shows them, and what their routes have in common. */
import { casePersonSchema, instant } from '@cupel/contracts'
import { MAX_ADDRESS_LENGTH, parseAddress, type ParsedAddress } from '@cupel/domain'
import type { OwnLabel, OwnLabelFollower } from '../../index.js'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import { apiCallOf } from '@cupel/gate/audit'
import { type KeyedCall, type PageTokens, refuse, type Refusal } from '@cupel/gate/http'

export interface OwnLabelParts {
  readonly database: Database
  readonly tokens: PageTokens
  readonly ownLabelFollowers: readonly OwnLabelFollower[]
}

export const OWN_LABELS = 'Own labels'

export const ownLabelPath = z.object({
  label_id: z
    .string()
    .regex(/^lbl_[0-9a-f]{20}$/)
    .describe('The id of the label.'),
})
export type OwnLabelPath = z.infer<typeof ownLabelPath>

export const addressField = z
  .string()
  .meta({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH, pattern: '^[!-~]*$' })

export const ownLabelComponent = z
  .object({
    label_id: z.string(),
    decision: z.string().describe('`block` or `allow`.'),
    category: z
      .string()
      .nullable()
      .describe('The category in which a block label has points; null for an allow label.'),
    address: z.string().describe('As it was sent.'),
    chain: z.string(),
    reason: z.string().describe('Why, in your own words. No report contains it.'),
    status: z
      .string()
      .describe(
        '`in_force`, `expired`, `removed`, or `replaced` by another label that was stated about the address.',
      ),
    stated_at: instant.describe('From then on it counts; UTC, RFC 3339 with milliseconds.'),
    stated_by: casePersonSchema,
    expires_at: instant.nullable().describe('From then on it counts no more; null for never.'),
    removed_at: instant.nullable().describe('When it was removed or replaced; null if it was neither.'),
    replaced_by: z.string().nullable().describe('The label that took its place; null for none.'),
  })
  .meta({ id: 'OwnLabel' })

export const ownLabelExample: z.infer<typeof ownLabelComponent> = {
  label_id: 'lbl_0a1b2c3d4e5f60718293',
  decision: 'block',
  category: 'scam',
  address: '0x00000000000000000000000000000000000abcde',
  chain: 'ETH',
  reason: 'It took the deposits of two customers.',
  status: 'in_force',
  stated_at: '2026-11-21T09:00:00.012Z',
  stated_by: { key_id: '8f2k1m0a', person: null },
  expires_at: '2027-11-21T00:00:00.000Z',
  removed_at: null,
  replaced_by: null,
}

export function ownLabelDocument(label: OwnLabel): z.infer<typeof ownLabelComponent> {
  return {
    label_id: label.labelId,
    decision: label.decision,
    category: label.decision === 'block' ? label.category : null,
    address: label.address,
    chain: label.chain,
    reason: label.reason,
    status: label.status,
    stated_at: label.statedAt,
    stated_by: { key_id: label.statedBy, person: label.actor === '' ? null : label.actor },
    expires_at: label.expiresAt,
    removed_at: label.removedAt,
    replaced_by: label.replacedBy,
  }
}

/** The account and environment of the call, who changes a label, and the call that the event records. */
export function authorOf(call: KeyedCall, status: number) {
  const { accountId, livemode, keyId, session } = call.caller
  return { accountId, livemode, keyId, person: session?.actor ?? '', call: apiCallOf(call, status) }
}

/** The address that a call names, or the problem that says what is wrong with it. */
export function parsedAddress(
  address: string,
  chain: string | undefined,
): { readonly parsed: ParsedAddress } | Refusal {
  const parsed = parseAddress(address, chain)
  if (parsed.ok) return { parsed }
  const pointer = parsed.code === 'invalid_address' ? '/address' : '/chain'
  return refuse(parsed.code, parsed.detail, { errors: [{ pointer, detail: parsed.detail }] })
}
