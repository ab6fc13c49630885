/** POST /v1/proposed-changes: a change of a key, of a list or of the policy, for another person to confirm. */
import { holdsScope } from '@cupel/domain'
import {
  jsonAnswer,
  keyedEndpoint,
  refuse,
  statuses,
  type Answer,
  type Endpoint,
  type Refusal,
} from '../../http/index.js'
import { authorOfProposal, MAX_CHANGES_A_DAY, proposeChange } from '../../second-person/index.js'
import { z } from 'zod'
import {
  askedOf,
  changeComponent,
  changeDocument,
  changeExample,
  changeRefusal,
  CHANGES_TAG,
  newChangeBody,
  readerOf,
  whyNotHere,
  type NewChangeBody,
  type ProposedChangeParts,
} from './change-description.js'

/** Thrown at the end of a trial, so that nothing of it is stored. */
class TrialEnded extends Error {}

export function proposeChangeEndpoint(parts: ProposedChangeParts): Endpoint {
  return keyedEndpoint<undefined, undefined, NewChangeBody>({
    operationId: 'proposeChange',
    method: 'POST',
    path: '/v1/proposed-changes',
    tag: CHANGES_TAG,
    summary: 'Propose a change',
    description:
      'Changes nothing: another call confirms or refuses it, of another person if the installation asks for one (`CUPEL_KEY_SECOND_PERSON`, `CUPEL_LIST_SECOND_PERSON`, `CUPEL_POLICY_SECOND_PERSON`). What its proposer may not change is refused at once. It expires after 14 days.',
    access: 'admin',
    bodySchema: newChangeBody(parts.kinds),
    bodyExample: {
      issue_key: { scope: 'read-write', name: 'screening' },
      reason: 'The new payment service.',
    },
    answers: [
      {
        status: statuses.created,
        description: 'The proposed change.',
        contentType: 'application/json',
        schema: changeComponent,
        headers: { Location: { description: 'Path of the proposed change.', schema: z.string() } },
        example: changeExample,
      },
    ],
    problems: ['not_found', 'scope_required', 'change_conflict', 'unavailable'],
    async handle(call, { body }): Promise<Answer | Refusal> {
      const { kind, asked } = askedOf(parts.kinds, body)
      if (!holdsScope(call.caller.scope, kind.access))
        return refuse('scope_required', `The API key lacks the scope of this change: ${kind.access}.`)
      const elsewhere = whyNotHere(kind, call.caller.livemode)
      if (elsewhere !== null) return elsewhere
      const subject = await kind.subject(call, asked)
      if ('code' in subject) return subject
      const { content, ofAccountId, livemode, basedOn } = subject
      try {
        await parts.database.transaction({ at: 'access.change' }, async (transaction) => {
          await kind.make(transaction, call, { content, reason: body.reason, basedOn, origin: null })
          throw new TrialEnded()
        })
      } catch (error) {
        if (!(error instanceof TrialEnded)) return changeRefusal(error)
      }
      // It is about that account, and is erased with it.
      const seal = await parts.personalData.of(ofAccountId)
      const proposed = await proposeChange(
        { database: parts.database, now: parts.now() },
        {
          ...{ ...(await authorOfProposal(parts, call)), ofAccountId, livemode, kind: kind.name, basedOn },
          change: seal.seal(JSON.stringify(content)),
          reason: seal.seal(body.reason),
        },
      )
      if (proposed === null)
        return refuse('change_conflict', `There were ${MAX_CHANGES_A_DAY} proposals in 24 hours; wait.`)
      const document = await changeDocument(parts, { proposed, decided: null }, await readerOf(parts, call))
      const location = `/v1/proposed-changes/${proposed.changeId}`
      return jsonAnswer(statuses.created, JSON.stringify(document), { location })
    },
  })
}
