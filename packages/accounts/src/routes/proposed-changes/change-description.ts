/** Proposed changes as the API shows them, and what their routes have in common. */
import { casePersonSchema, instant } from '@cupel/contracts'
import { holdsScope, type CasePersonId } from '@cupel/domain'
import { AccessRefusal, validKeys } from '@cupel/gate/access'
import { orAbsent, refuse, text, type KeyedCall, type PageTokens, type Refusal } from '@cupel/gate/http'
import {
  changeExpiry,
  changeStatus,
  isOtherPerson,
  plainOf,
  type ChangeOnRecord,
  type SecondPersonParts,
  type SeenChanges,
} from '@cupel/gate/second-person'
import { z } from 'zod'
import { changeFields } from '../keys/change-key.js'
import { newKeyFields } from '../keys/create-key.js'
import { overlapField } from '../keys/end-key.js'
import { keyExample, keyIdField, keyRefusal, newKeyComponent } from '../keys/key-description.js'
import {
  changeKindNames,
  ChangeRefused,
  type ChangeContent,
  type ChangeKind,
  type ChangeKindName,
  type ChangeKinds,
} from './change-kinds.js'

export interface ProposedChangeParts extends Omit<SecondPersonParts, 'needsSecondPerson'> {
  readonly tokens: PageTokens
  readonly kinds: ChangeKinds
  readonly now: () => Date
}

export const CHANGES_TAG = 'Proposed changes'
export const MAX_REASON_LENGTH = 400
const MAX_ACCEPTED = 2_147_483_647

export const changePath = z.object({
  change_id: z
    .string()
    .regex(/^chg_[0-9a-f]{20}$/)
    .describe('The id of the proposed change.'),
})
export type ChangePath = z.infer<typeof changePath>

const MIN_CHANGED = 2
const kindFields = {
  issue_key: orAbsent(z.strictObject(newKeyFields).meta({ id: 'ProposedKey' })).describe(
    'A key to issue, as for `POST /v1/keys`.',
  ),
  change_key: orAbsent(
    z
      .strictObject({ key_id: keyIdField, ...changeFields })
      .refine((change) => Object.values(change).filter((one) => one !== undefined).length >= MIN_CHANGED, {
        error: 'Nothing to change is given',
      })
      .meta({ id: 'ProposedKeyChange', minProperties: MIN_CHANGED }),
  ).describe('Other rights or another name of a key, as for `PATCH /v1/keys/{key_id}`.'),
  rotate_key: orAbsent(
    z.strictObject({ key_id: keyIdField, overlap_hours: overlapField }).meta({ id: 'ProposedRotation' }),
  ).describe('A successor of a key, as for `POST /v1/keys/{key_id}/rotate`.'),
  confirm_import: orAbsent(
    z
      .strictObject({
        import_id: z.string().regex(/^lio_[0-9a-f]{20}$/),
        accept_removals: orAbsent(z.int().min(1).max(MAX_ACCEPTED)),
        accept_unreadable: orAbsent(z.int().min(1).max(MAX_ACCEPTED)),
      })
      .meta({ id: 'ProposedImport' }),
  ).describe('For operators: the import of a list, as for `POST /v1/list-imports/{import_id}/confirm`.'),
} as const satisfies Record<ChangeKindName, z.ZodType>

export const newChangeBody = z
  .strictObject({
    ...kindFields,
    reason: text(MAX_REASON_LENGTH)
      .regex(/^[^\p{Cc}]*[^\p{Cc} ][^\p{Cc}]*$/u, {
        error: 'A reason has no control characters and is not blank',
      })
      .describe('Why, for whoever confirms it.'),
  })
  .refine((body) => changeKindNames.filter((kind) => body[kind] !== undefined).length === 1, {
    error: `Expected one of ${changeKindNames.join(', ')}`,
  })
  .meta({ id: 'NewProposedChangeRequest', minProperties: 2, maxProperties: 2 })
export type NewChangeBody = z.infer<typeof newChangeBody>

/** The kind of a body, and what it asks for. */
export function askedOf(body: NewChangeBody): {
  readonly kind: ChangeKindName
  readonly asked: ChangeContent
} {
  const kind = changeKindNames.find((name) => body[name] !== undefined)!
  const given = Object.entries(body[kind] as object).filter(([, value]) => value !== undefined)
  return { kind, asked: Object.fromEntries(given) as ChangeContent }
}

export const changeComponent = z
  .object({
    change_id: z.string(),
    status: z
      .string()
      .describe('`open`, `confirmed`, `refused` or `expired`. Only an open one can be decided.'),
    kind: z.string().describe('`issue_key`, `change_key`, `rotate_key` or `confirm_import`.'),
    account_id: z.string().describe('The account whose key it changes; that of the proposer for a list.'),
    livemode: z.boolean(),
    change: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('What it changes, in the fields of its kind; null if nobody can read it any more.'),
    reason: z.string(),
    proposed_by: casePersonSchema,
    proposed_at: instant,
    expires_at: instant,
    decided_by: casePersonSchema.nullable().describe('Null while nobody decided.'),
    decided_at: instant.nullable(),
    needs_second_person: z.boolean().describe('Whether another person must confirm it.'),
    may_confirm: z.boolean().describe('Whether this caller may confirm it now.'),
  })
  .meta({ id: 'ProposedChange' })
export type ChangeDocument = z.infer<typeof changeComponent>

export const decidedComponent = changeComponent
  .extend({
    new_key: newKeyComponent
      .nullable()
      .describe('The key that a confirmation issued, which only this answer shows; null for none.'),
  })
  .meta({ id: 'DecidedChange' })

export const changeExample: ChangeDocument = {
  change_id: 'chg_0a1b2c3d4e5f60718293',
  status: 'open',
  kind: 'change_key',
  account_id: keyExample.account_id,
  livemode: true,
  change: { key_id: '3c9d2e1f', allowed_ips: ['203.0.113.0/24'] },
  reason: 'The office moved.',
  proposed_by: { key_id: '8f2k1m0a', person: 'Ann Analyst' },
  proposed_at: '2026-11-21T09:00:00.000Z',
  expires_at: '2026-12-05T09:00:00.000Z',
  ...{ decided_by: null, decided_at: null, needs_second_person: true, may_confirm: false },
}

/** Null for a kind of a later version: then nobody may decide it here. */
export const kindOf = ({ kinds }: Pick<ProposedChangeParts, 'kinds'>, name: string): ChangeKind | null =>
  Object.hasOwn(kinds, name) ? kinds[name as ChangeKindName] : null

/** What the caller sees: an operator all changes, an admin those of keys of the own account and environment. */
export function seenBy(
  { kinds }: Pick<ProposedChangeParts, 'kinds'>,
  { caller: { accountId, livemode, scope } }: Pick<KeyedCall, 'caller'>,
): SeenChanges {
  if (scope === 'operator') return { ofAccount: null, kinds: null }
  const held = changeKindNames.filter((name) => holdsScope(scope, kinds[name].access))
  return { ofAccount: { accountId, livemode }, kinds: held }
}

/** Why the caller may not confirm the change, apart from whether it is open; null if the caller may. */
export async function whyNotConfirm(
  parts: ProposedChangeParts,
  { proposed }: ChangeOnRecord,
  person: CasePersonId,
): Promise<Refusal | null> {
  const kind = kindOf(parts, proposed.kind)
  if (kind === null) return refuse('change_conflict', 'This version does not know this kind of change.')
  const { needsSecondPerson } = kind
  if (!(await isOtherPerson({ ...parts, needsSecondPerson }, proposed, person)))
    return refuse('second_person_required', 'Another person than the one who proposed it must confirm it.')
  const works = await validKeys(parts.database, [proposed.proposedBy])
  return works.has(proposed.proposedBy)
    ? null
    : refuse('change_conflict', 'The key that proposed it does not work any more; propose it again.')
}

/** What it changes; null if nobody can read it any more. */
export async function contentOf(
  { personalData }: Pick<ProposedChangeParts, 'personalData'>,
  { change }: ChangeOnRecord['proposed'],
): Promise<ChangeContent | null> {
  const plain = await plainOf(personalData, change)
  return plain === null ? null : (JSON.parse(plain) as ChangeContent)
}

export async function changeDocument(
  parts: ProposedChangeParts,
  change: ChangeOnRecord,
  person: CasePersonId,
): Promise<ChangeDocument> {
  const { proposed, decided } = change
  const status = changeStatus(change, parts.now())
  const content = await contentOf(parts, proposed)
  const open = (sealed: string): Promise<string> => parts.personalData.openText(sealed)
  const named = async (keyId: string, actor: string) => ({
    key_id: keyId,
    person: actor === '' ? null : await open(actor),
  })
  return {
    change_id: proposed.changeId,
    status,
    kind: proposed.kind,
    account_id: proposed.ofAccountId,
    livemode: proposed.livemode,
    change: content,
    reason: await open(proposed.reason),
    proposed_by: await named(proposed.proposedBy, proposed.actor),
    proposed_at: proposed.proposedAt,
    expires_at: changeExpiry(proposed).toISOString(),
    decided_by: decided === null ? null : await named(decided.decidedBy, decided.actor),
    decided_at: decided?.decidedAt ?? null,
    needs_second_person: kindOf(parts, proposed.kind)?.needsSecondPerson ?? true,
    may_confirm:
      status === 'open' && content !== null && (await whyNotConfirm(parts, change, person)) === null,
  }
}

/** The answer to a change that cannot be made. Rejects with any other error. */
export function changeRefusal(error: unknown): Refusal {
  if (error instanceof ChangeRefused) return error.refusal
  if (!(error instanceof AccessRefusal)) throw error
  const refusal = keyRefusal(error)
  return refusal.code === 'key_conflict' ? refuse('change_conflict', refusal.detail) : refusal
}

export const noChange = (): Refusal => refuse('not_found', 'There is no such proposed change.')
