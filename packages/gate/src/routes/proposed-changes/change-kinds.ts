/** What a kind of changes is that can be proposed, and the kinds of keys. */
import {
  changeKeyIn,
  findKey,
  issueKeyIn,
  keyRightsDigest,
  rotateKeyIn,
  ROTATION_OVERLAP_MS,
} from '../../access/index.js'
import type { PlanName, Scope } from '@cupel/domain'
import type { KeyedCall, Refusal } from '../../http/index.js'
import type { Queryable } from '@cupel/postgres'
import { z } from 'zod'
import { changeFields, changeOf, type ChangeBody } from '../keys/change-key.js'
import { newKeyFields, type NewKeyBody } from '../keys/create-key.js'
import { overlapField } from '../keys/end-key.js'
import {
  isVisible,
  keyAuthor,
  keyIdField,
  keyText,
  namedTenant,
  ownKey,
  unknownKey,
  type givenScopes,
  type KeyParts,
} from '../keys/key-description.js'

/** JSON of a change, as its event states it. */
export type ChangeContent = Readonly<Record<string, unknown>>

export interface ChangeSubject {
  readonly ofAccountId: string
  readonly livemode: boolean
  /** What must still be so when it is confirmed; empty for nothing. */
  readonly basedOn: string
  readonly content: ChangeContent
}

/** What is asked for, and why. */
export interface ChangeOrder {
  readonly content: ChangeContent
  readonly reason: string
  readonly basedOn: string
  /** The proposal and its key, in words without personal data; null for a trial, of which nothing is stored. */
  readonly origin: string | null
}

/** What an open change would do now. */
export interface ChangeEffect {
  /** Whether something else has taken its place since, so that it cannot be confirmed. */
  readonly is_outdated: boolean
  readonly settings: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[]
  readonly findings: readonly {
    readonly severity: string
    readonly rule: string
    readonly path: string
    readonly message: string
  }[]
}

/** An order of a proposal. */
export interface ProposedOrder extends Omit<ChangeOrder, 'reason'> {
  readonly origin: string
}

export type EffectOf = (order: ProposedOrder) => ChangeEffect

/** Who made the change of this origin, and when; null if nobody did. */
export type MadeBy = (origin: string) => { readonly decidedBy: string; readonly decidedAt: string } | null

export interface ChangeKind {
  /** The member of a body that asks for it. */
  readonly name: string
  readonly schema: z.ZodType
  readonly description: string
  /** The scope of whoever proposes or decides it. */
  readonly access: Scope
  readonly needsSecondPerson: boolean
  /** Whether keys of the sandbox neither propose nor confirm it. */
  readonly isLiveOnly?: boolean
  /** Completes what was asked for, so that it means the same for whoever confirms it. */
  subject(call: KeyedCall, asked: ChangeContent): Promise<ChangeSubject | Refusal>
  /** Makes the change. Throws AccessRefusal or ChangeRefused if it is not possible. Resolves to what only the answer of this call shows. */
  make(
    transaction: Queryable,
    call: KeyedCall,
    order: ChangeOrder,
  ): Promise<{ readonly newKey: string | null }>
  /** For a kind whose change may be made although the commit of its decision failed. Reads once what tells it. */
  made?(): Promise<MadeBy>
  /** Reads once what the effects of all changes of a list depend on. Absent if the fields of a change tell its effect. */
  effects?(): Promise<EffectOf>
}

export type ChangeKinds = readonly ChangeKind[]

/** A change that cannot be made now. Thrown, so that its transaction ends. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused'
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

interface IssueContent {
  readonly account_id: string
  readonly livemode: boolean
  readonly scope: (typeof givenScopes)[number]
  readonly plan: PlanName
  readonly name: string
  readonly allowed_ips: readonly string[]
  readonly webhook_admin: boolean
  readonly expires_at: string | null
}

const HOUR_MS = 3_600_000

const MIN_CHANGED = 2

const proposedKey = z.strictObject(newKeyFields).meta({ id: 'ProposedKey' })
const proposedKeyChange = z
  .strictObject({ key_id: keyIdField, ...changeFields })
  .refine((change) => Object.values(change).filter((one) => one !== undefined).length >= MIN_CHANGED, {
    error: 'Nothing to change is given',
  })
  .meta({ id: 'ProposedKeyChange', minProperties: MIN_CHANGED })
const proposedRotation = z
  .strictObject({ key_id: keyIdField, overlap_hours: overlapField })
  .meta({ id: 'ProposedRotation' })

export const keyChangeKinds = (parts: KeyParts): ChangeKinds => [issueKind(parts), ...kindsOfKey(parts)]

const sharedBy = ({ needsSecondPerson }: KeyParts) => ({ access: 'admin', needsSecondPerson }) as const
const ordered = ({ personalData }: KeyParts, call: KeyedCall, reason: string) => ({
  ...{ ...keyAuthor(call), reason, sealing: personalData },
})

function issueKind(parts: KeyParts): ChangeKind {
  return {
    ...{ ...sharedBy(parts), name: 'issue_key', description: 'A key to issue, as for `POST /v1/keys`.' },
    schema: proposedKey,
    async subject({ caller }, asked) {
      const body = asked as NewKeyBody
      const tenant = namedTenant(caller, body)
      if ('code' in tenant) return tenant
      const own = await ownKey(parts, caller)
      const content: IssueContent = {
        ...{ account_id: tenant.accountId, livemode: tenant.environment === 'live', scope: body.scope },
        ...{ plan: body.plan ?? own.plan, name: body.name ?? '' },
        allowed_ips: body.allowed_ips ?? own.allowedIps,
        webhook_admin: body.webhook_admin ?? false,
        expires_at: body.expires_at ?? own.expiresAt,
      }
      const { account_id: ofAccountId, livemode } = content
      return { ofAccountId, livemode, basedOn: '', content: { ...content } }
    },
    async make(transaction, call, { content, reason }) {
      const given = content as unknown as IssueContent
      const made = await issueKeyIn(transaction, {
        ...{
          ...ordered(parts, call, reason),
          accountId: given.account_id,
          scope: given.scope,
          plan: given.plan,
        },
        ...{ environment: given.livemode ? 'live' : 'test', name: given.name },
        ...{
          allowedIps: given.allowed_ips,
          webhookAdmin: given.webhook_admin,
          expiresAt: given.expires_at,
        },
      })
      return { newKey: await keyText(parts, made, { key: made.key }) }
    },
  }
}

function kindsOfKey(parts: KeyParts): ChangeKinds {
  const shared = sharedBy(parts)
  return [
    {
      ...{ ...shared, name: 'change_key' },
      description: 'Other rights or another name of a key, as for `PATCH /v1/keys/{key_id}`.',
      schema: proposedKeyChange,
      subject: (call, asked) => subjectOfKey(parts, call, asked),
      async make(transaction, call, { content, reason, basedOn }) {
        const { key_id: keyId, ...change } = content as unknown as ChangeBody & { readonly key_id: string }
        const order = { ...ordered(parts, call, reason), keyId, seenRights: basedOn }
        await changeKeyIn(transaction, { ...order, change: changeOf(change) })
        return { newKey: null }
      },
    },
    {
      ...{ ...shared, name: 'rotate_key' },
      description: 'A successor of a key, as for `POST /v1/keys/{key_id}/rotate`.',
      schema: proposedRotation,
      subject: (call, asked) => subjectOfKey(parts, call, asked),
      async make(transaction, call, { content, reason, basedOn }) {
        const { key_id: keyId, overlap_hours: hours } = content as unknown as {
          readonly key_id: string
          readonly overlap_hours?: number
        }
        const overlapMs = hours === undefined ? ROTATION_OVERLAP_MS : hours * HOUR_MS
        const made = await rotateKeyIn(transaction, {
          ...ordered(parts, call, reason),
          keyId,
          overlapMs,
          seenRights: basedOn,
        })
        return { newKey: await keyText(parts, made, { key: made.key }) }
      },
    },
  ]
}

async function subjectOfKey(
  { database }: KeyParts,
  { caller }: KeyedCall,
  content: ChangeContent,
): Promise<ChangeSubject | Refusal> {
  const key = await findKey(database, String(content['key_id']))
  if (key === null || !isVisible(caller, key)) return unknownKey()
  const basedOn = (await keyRightsDigest(database, key.keyId)) ?? ''
  return { ofAccountId: key.accountId, livemode: key.environment === 'live', basedOn, content }
}
