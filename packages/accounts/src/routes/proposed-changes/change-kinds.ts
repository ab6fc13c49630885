/** The kinds of changes that can be proposed, and those of keys. */
import {
  changeKeyIn,
  findKey,
  issueKeyIn,
  keyRightsDigest,
  rotateKeyIn,
  ROTATION_OVERLAP_MS,
} from '@cupel/gate/access'
import type { PlanName, Scope } from '@cupel/domain'
import type { KeyedCall, Refusal } from '@cupel/gate/http'
import type { Queryable } from '@cupel/postgres'
import { changeOf, type ChangeBody } from '../keys/change-key.js'
import type { NewKeyBody } from '../keys/create-key.js'
import {
  isVisible,
  keyAuthor,
  keyText,
  namedTenant,
  ownKey,
  unknownKey,
  type givenScopes,
  type KeyParts,
} from '../keys/key-description.js'

export const changeKindNames = ['issue_key', 'change_key', 'rotate_key', 'confirm_import'] as const
export type ChangeKindName = (typeof changeKindNames)[number]

/** JSON of a change, as its event states it. */
export type ChangeContent = Readonly<Record<string, unknown>>

export interface ChangeSubject {
  readonly ofAccountId: string
  readonly livemode: boolean
  /** What must still be so when it is confirmed; empty for nothing. */
  readonly basedOn: string
  readonly content: ChangeContent
}

/** Who asks for a change, and why. */
export interface ChangeOrder {
  readonly content: ChangeContent
  readonly reason: string
  readonly basedOn: string
}

export interface ChangeKind {
  /** The scope of whoever proposes or decides it. */
  readonly access: Scope
  readonly needsSecondPerson: boolean
  /** Completes what was asked for, so that it means the same for whoever confirms it. */
  subject(call: KeyedCall, asked: ChangeContent): Promise<ChangeSubject | Refusal>
  /** Makes the change. Throws AccessRefusal or ChangeRefused if it is not possible. Resolves to what only the answer of this call shows. */
  make(
    transaction: Queryable,
    call: KeyedCall,
    order: ChangeOrder,
  ): Promise<{ readonly newKey: string | null }>
}

export type ChangeKinds = Readonly<Record<ChangeKindName, ChangeKind>>

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

export function keyChangeKinds(parts: KeyParts): Omit<ChangeKinds, 'confirm_import'> {
  const shared = { access: 'admin', needsSecondPerson: parts.needsSecondPerson } as const
  const ordered = (call: KeyedCall, reason: string) => ({
    ...{ ...keyAuthor(call), reason, sealing: parts.personalData },
  })
  return {
    issue_key: {
      ...shared,
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
          ...{ ...ordered(call, reason), accountId: given.account_id, scope: given.scope, plan: given.plan },
          ...{ environment: given.livemode ? 'live' : 'test', name: given.name },
          ...{
            allowedIps: given.allowed_ips,
            webhookAdmin: given.webhook_admin,
            expiresAt: given.expires_at,
          },
        })
        return { newKey: await keyText(parts, made, { key: made.key }) }
      },
    },
    change_key: {
      ...shared,
      subject: (call, asked) => subjectOfKey(parts, call, asked),
      async make(transaction, call, { content, reason, basedOn }) {
        const { key_id: keyId, ...change } = content as unknown as ChangeBody & { readonly key_id: string }
        const order = { ...ordered(call, reason), keyId, seenRights: basedOn }
        await changeKeyIn(transaction, { ...order, change: changeOf(change) })
        return { newKey: null }
      },
    },
    rotate_key: {
      ...shared,
      subject: (call, asked) => subjectOfKey(parts, call, asked),
      async make(transaction, call, { content, reason, basedOn }) {
        const { key_id: keyId, overlap_hours: hours } = content as unknown as {
          readonly key_id: string
          readonly overlap_hours?: number
        }
        const overlapMs = hours === undefined ? ROTATION_OVERLAP_MS : hours * HOUR_MS
        const made = await rotateKeyIn(transaction, {
          ...ordered(call, reason),
          keyId,
          overlapMs,
          seenRights: basedOn,
        })
        return { newKey: await keyText(parts, made, { key: made.key }) }
      },
    },
  }
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
