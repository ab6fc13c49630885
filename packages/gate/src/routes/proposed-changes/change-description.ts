/** Proposed changes as the API shows them, and what their routes have in common. */
import { casePersonSchema, instant } from '@cupel/contracts'
import { holdsScope, withoutApiKeys, type CasePersonId } from '@cupel/domain'
import { AccessRefusal, validKeys } from '../../access/index.js'
import { orAbsent, refuse, text, type KeyedCall, type PageTokens, type Refusal } from '../../http/index.js'
import {
  changeExpiry,
  changeStatus,
  isOtherPerson,
  personOfCall,
  plainOf,
  type ChangeOnRecord,
  type SecondPersonParts,
  type SeenChanges,
} from '../../second-person/index.js'
import { z } from 'zod'
import { keyExample, keyRefusal, newKeyComponent } from '../keys/key-description.js'
import {
  ChangeRefused,
  type ChangeContent,
  type ChangeEffect,
  type ChangeKind,
  type ChangeKinds,
  type EffectOf,
} from './change-kinds.js'

export interface ProposedChangeParts extends Omit<SecondPersonParts, 'needsSecondPerson'> {
  readonly tokens: PageTokens
  readonly kinds: ChangeKinds
  readonly now: () => Date
}

export const CHANGES_TAG = 'Proposed changes'
export const MAX_REASON_LENGTH = 400

export const changePath = z.object({
  change_id: z
    .string()
    .regex(/^chg_[0-9a-f]{20}$/)
    .describe('The id of the proposed change.'),
})
export type ChangePath = z.infer<typeof changePath>

/** One of the kinds, and why. */
export function newChangeBody(kinds: ChangeKinds) {
  const names = kinds.map(({ name }) => name)
  const asked = kinds.map(({ name, schema, description }) => [name, orAbsent(schema).describe(description)])
  return z
    .strictObject({
      ...(Object.fromEntries(asked) as Record<string, z.ZodType>),
      reason: text(MAX_REASON_LENGTH)
        .regex(/^[^\p{Cc}]*[^\p{Cc} ][^\p{Cc}]*$/u, {
          error: 'A reason has no control characters and is not blank',
        })
        .refine((reason) => withoutApiKeys(reason) === reason, { error: 'This looks like an API key' })
        .describe('Why, for whoever confirms it.'),
    })
    .refine((body) => kinds.filter(({ name }) => given(body)[name] !== undefined).length === 1, {
      error: `Expected one of ${names.join(', ')}`,
    })
    .meta({ id: 'NewProposedChangeRequest', minProperties: 2, maxProperties: 2 })
}
export type NewChangeBody = { readonly reason: string }

const given = (body: NewChangeBody) => body as unknown as Readonly<Record<string, object | undefined>>

/** The kind of a body, and what it asks for. */
export function askedOf(
  kinds: ChangeKinds,
  body: NewChangeBody,
): { readonly kind: ChangeKind; readonly asked: ChangeContent } {
  const kind = kinds.find(({ name }) => given(body)[name] !== undefined)!
  const members = Object.entries(given(body)[kind.name]!).filter(([, value]) => value !== undefined)
  return { kind, asked: Object.fromEntries(members) as ChangeContent }
}

export const changedSetting = z
  .object({ path: z.string(), from: z.unknown(), to: z.unknown() })
  .meta({ id: 'PolicyChange' })
export const changeFinding = z
  .object({ severity: z.string(), rule: z.string(), path: z.string(), message: z.string() })
  .meta({ id: 'PolicyFinding' })

const effectComponent = z
  .object({
    is_outdated: z
      .boolean()
      .describe('True if another policy came into force since: then the proposal cannot be confirmed.'),
    settings: z.array(changedSetting),
    findings: z
      .array(changeFinding)
      .describe('Warnings: choices that deserve a second look. With an error it cannot be confirmed.'),
  })
  .meta({ id: 'ChangeEffect' })

export const changeComponent = z
  .object({
    change_id: z.string(),
    status: z
      .string()
      .describe('`open`, `confirmed`, `refused` or `expired`. Only an open one can be decided.'),
    kind: z
      .string()
      .describe('`issue_key`, `change_key`, `rotate_key`, `confirm_import` or `activate_policy`.'),
    account_id: z
      .string()
      .describe('The account whose key it changes; that of the proposer for a list or a policy.'),
    livemode: z.boolean(),
    change: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The change, in the fields of its kind; null if nobody can read it any more.'),
    reason: z.string(),
    proposed_by: casePersonSchema,
    proposed_at: instant,
    expires_at: instant,
    decided_by: casePersonSchema.nullable().describe('Null while nobody decided.'),
    decided_at: instant.nullable(),
    needs_second_person: z.boolean().describe('True if another person must confirm it.'),
    may_confirm: z.boolean().describe('True if this caller may confirm it now.'),
    effect: effectComponent
      .nullable()
      .describe('For an open change of the policy: how it differs from the policy in force.'),
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
  ...{ decided_by: null, decided_at: null, needs_second_person: true, may_confirm: false, effect: null },
}

/** Null for a kind of a later version: then nobody may confirm it here. */
export const kindOf = ({ kinds }: Pick<ProposedChangeParts, 'kinds'>, name: string): ChangeKind | null =>
  kinds.find((kind) => kind.name === name) ?? null

/** What the caller sees: an operator all changes, an admin those of keys of the own account and environment. */
export function seenBy(
  { kinds }: Pick<ProposedChangeParts, 'kinds'>,
  { caller: { accountId, livemode, scope } }: Pick<KeyedCall, 'caller'>,
): SeenChanges {
  if (scope === 'operator') return { ofAccount: null, kinds: null }
  const held = kinds.filter(({ access }) => holdsScope(scope, access)).map(({ name }) => name)
  return { ofAccount: { accountId, livemode }, kinds: held }
}

/** The proposal and its key, in words without personal data. */
export const originOf = ({ changeId, proposedBy }: ChangeOnRecord['proposed']): string =>
  `${changeId} of key ${proposedBy}`

/** Whoever reads or decides a change. */
export interface Reader {
  readonly person: CasePersonId
  readonly livemode: boolean
}

export const readerOf = async (
  parts: Pick<ProposedChangeParts, 'database'>,
  call: KeyedCall,
): Promise<Reader> => ({ person: await personOfCall(parts, call), livemode: call.caller.livemode })

/** Why a key of this environment may not make a change of this kind; null if it may. */
export const whyNotHere = ({ isLiveOnly = false }: ChangeKind, livemode: boolean): Refusal | null =>
  isLiveOnly && !livemode ? refuse('change_conflict', 'This is changed with a live key only.') : null

/** Why the caller may not confirm the change, apart from whether it is open; null if the caller may. */
export async function whyNotConfirm(
  parts: ProposedChangeParts,
  { proposed }: ChangeOnRecord,
  { person, livemode }: Reader,
): Promise<Refusal | null> {
  const kind = kindOf(parts, proposed.kind)
  if (kind === null) return refuse('change_conflict', 'This version does not know this kind of change.')
  const { needsSecondPerson } = kind
  const elsewhere = whyNotHere(kind, livemode)
  if (elsewhere !== null) return elsewhere
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

export const changeDocument = async (
  parts: ProposedChangeParts,
  change: ChangeOnRecord,
  reader: Reader,
): Promise<ChangeDocument> => (await changeDocuments(parts, [change], reader))[0]!

/** In their order. Each kind reads once what the effects of its open changes depend on. */
export async function changeDocuments(
  parts: ProposedChangeParts,
  changes: readonly ChangeOnRecord[],
  reader: Reader,
): Promise<ChangeDocument[]> {
  const read = new Map<string, EffectOf | undefined>()
  const effectsOf = async (name: string): Promise<EffectOf | undefined> => {
    if (!read.has(name)) read.set(name, await kindOf(parts, name)?.effects?.())
    return read.get(name)
  }
  const documents: ChangeDocument[] = []
  for (const change of changes) documents.push(await documentOf(parts, change, { reader, effectsOf }))
  return documents
}

async function documentOf(
  parts: ProposedChangeParts,
  change: ChangeOnRecord,
  {
    reader,
    effectsOf,
  }: { readonly reader: Reader; readonly effectsOf: (kind: string) => Promise<EffectOf | undefined> },
): Promise<ChangeDocument> {
  const { proposed, decided } = change
  const status = changeStatus(change, parts.now())
  const content = await contentOf(parts, proposed)
  const { kind, basedOn } = proposed
  const effect = status === 'open' && content !== null ? await effectsOf(kind) : undefined
  const shown = effect?.({ content: content!, basedOn, origin: originOf(proposed) })
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
      status === 'open' &&
      content !== null &&
      (shown === undefined || canBeMade(shown)) &&
      (await whyNotConfirm(parts, change, reader)) === null,
    effect:
      shown === undefined ? null : { ...shown, settings: [...shown.settings], findings: [...shown.findings] },
  }
}

const canBeMade = ({ is_outdated: isOutdated, findings }: ChangeEffect): boolean =>
  !isOutdated && findings.every(({ severity }) => severity !== 'error')

/** The answer to a change that cannot be made. Rejects with any other error. */
export function changeRefusal(error: unknown): Refusal {
  if (error instanceof ChangeRefused) return error.refusal
  if (!(error instanceof AccessRefusal)) throw error
  const refusal = keyRefusal(error)
  return refusal.code === 'key_conflict' ? refuse('change_conflict', refusal.detail) : refusal
}

export const noChange = (): Refusal => refuse('not_found', 'There is no such proposed change.')
