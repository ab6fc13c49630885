/** POST /v1/proposed-changes/{change_id}/decision: confirms a proposed change, which is made then, or refuses it. */
import {
  jsonAnswer,
  keyedEndpoint,
  refuse,
  statuses,
  type Answer,
  type Endpoint,
  type KeyedCall,
  type Refusal,
} from '../../http/index.js'
import {
  CHANGE_DAYS,
  decideChange,
  type ChangeStatus,
  type ProposedChange,
} from '../../second-person/index.js'
import type { Queryable } from '@cupel/postgres'
import { z } from 'zod'
import {
  changeDocument,
  changeExample,
  changePath,
  changeRefusal,
  CHANGES_TAG,
  contentOf,
  decidedComponent,
  kindOf,
  noChange,
  originOf,
  readerOf,
  seenBy,
  whyNotConfirm,
  type ChangePath,
  type ProposedChangeParts,
  type Reader,
} from './change-description.js'
import { ChangeRefused } from './change-kinds.js'

const decisionBody = z
  .strictObject({ decision: z.enum(['confirm', 'refuse']) })
  .meta({ id: 'ProposedChangeDecisionRequest' })

export function decideProposedChange(parts: ProposedChangeParts): Endpoint {
  return keyedEndpoint<ChangePath, undefined, z.infer<typeof decisionBody>>({
    operationId: 'decideProposedChange',
    method: 'POST',
    path: '/v1/proposed-changes/{change_id}/decision',
    tag: CHANGES_TAG,
    summary: 'Confirm or refuse a proposed change',
    description:
      'Confirmed, it is made with the rights of the key of this call, which must be as many as the change needs. A key that it issues is shown once, in this answer. Whoever proposed it may refuse it, until it is in force.',
    access: 'admin',
    pathSchema: changePath,
    bodySchema: decisionBody,
    bodyExample: { decision: 'confirm' },
    answers: [
      {
        status: statuses.ok,
        description: 'The change, decided.',
        contentType: 'application/json',
        schema: decidedComponent,
        example: {
          ...{ ...changeExample, status: 'confirmed', decided_by: { key_id: '5d6e7f80', person: 'Bob' } },
          ...{ decided_at: '2026-11-21T10:00:00.000Z', may_confirm: false, new_key: null },
        },
      },
    ],
    problems: ['not_found', 'scope_required', 'change_conflict', 'second_person_required', 'unavailable'],
    async handle(call, { path, body: { decision } }): Promise<Answer | Refusal> {
      const { accountId, keyId, session } = call.caller
      const reader = await readerOf(parts, call)
      const decided = { accountId, decision, decidedBy: keyId, actor: session?.actor ?? '' }
      try {
        const done = await decideChange(
          { database: parts.database, now: parts.now() },
          { ...decided, changeId: path.change_id },
          {
            seen: seenBy(parts, call),
            make: async (transaction, { proposed }) =>
              decision === 'confirm'
                ? await confirmed(parts, { transaction, call, proposed, reader })
                : await refused(parts, proposed),
          },
        )
        if (done.outcome === 'unknown') return noChange()
        if (done.outcome === 'ended') return refuse('change_conflict', ended[done.status])
        const document = await changeDocument(parts, done.change, reader)
        const { newKey } = done.made
        const shown = { ...document, new_key: newKey === null ? null : (JSON.parse(newKey) as unknown) }
        return jsonAnswer(statuses.ok, JSON.stringify(shown))
      } catch (error) {
        return changeRefusal(error)
      }
    },
  })
}

interface Confirmation {
  readonly transaction: Queryable
  readonly call: KeyedCall
  readonly proposed: ProposedChange
  readonly reader: Reader
}

async function confirmed(
  parts: ProposedChangeParts,
  { transaction, call, proposed, reader }: Confirmation,
): Promise<{ readonly newKey: string | null }> {
  const kind = kindOf(parts, proposed.kind)
  const refusal = await whyNotConfirm(parts, { proposed, decided: null }, reader)
  if (refusal !== null || kind === null) throw new ChangeRefused(refusal ?? noChange())
  const content = await contentOf(parts, proposed)
  if (content === null)
    throw new ChangeRefused(refuse('change_conflict', 'Nobody can read any more what it changes.'))
  const { basedOn } = proposed
  const origin = originOf(proposed)
  const reason = `${origin}: ${await parts.personalData.openText(proposed.reason)}`
  return await kind.make(transaction, call, { content, reason, basedOn, origin })
}

/** A change that is made cannot be refused any more: its confirmation was not stored, and is repeated or settled. */
async function refused(
  parts: ProposedChangeParts,
  proposed: ProposedChange,
): Promise<{ readonly newKey: null }> {
  const made = await kindOf(parts, proposed.kind)?.made?.()
  if ((made?.(originOf(proposed)) ?? null) === null) return { newKey: null }
  throw new ChangeRefused(refuse('change_conflict', ended.confirmed))
}

const ended: Readonly<Record<ChangeStatus, string>> = {
  open: 'It is open.',
  confirmed: 'It was confirmed already.',
  refused: 'It was refused already.',
  expired: `Nobody decided it within ${CHANGE_DAYS} days; propose it again.`,
}
