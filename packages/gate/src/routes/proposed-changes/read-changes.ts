/** GET /v1/proposed-changes and /{change_id}: what was proposed, newest first. */
import {
  jsonAnswer,
  keyedEndpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Endpoint,
} from '../../http/index.js'
import { findProposedChange, listProposedChanges as listChanges } from '../../second-person/index.js'
import { z } from 'zod'
import {
  changeComponent,
  changeDocument,
  changeDocuments,
  changeExample,
  changePath,
  CHANGES_TAG,
  noChange,
  readerOf,
  seenBy,
  type ChangePath,
  type ProposedChangeParts,
} from './change-description.js'
import type { ChangeKinds } from './change-kinds.js'

const LIST = 'proposed-changes'
const DEFAULT_PAGE_SIZE = 20

const changesQuery = (kinds: ChangeKinds) =>
  z.strictObject({
    show: z.enum(['all', 'open']).default('all').describe('`open`: only what waits for a decision.'),
    change_kind: z
      .enum(kinds.map(({ name }) => name) as [string, ...string[]])
      .optional()
      .describe('Only changes of this kind.'),
    page_size: pageSize(DEFAULT_PAGE_SIZE),
    page_token: pageToken,
  })

export function listProposedChanges(parts: ProposedChangeParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<ReturnType<typeof changesQuery>>>({
    operationId: 'listProposedChanges',
    method: 'GET',
    path: '/v1/proposed-changes',
    tag: CHANGES_TAG,
    summary: 'List the proposed changes',
    description:
      'Newest first. An admin sees those of keys of the own account and environment, an operator sees all.',
    access: 'admin',
    querySchema: changesQuery(parts.kinds),
    answers: [
      {
        status: 200,
        description: 'A page of proposed changes.',
        contentType: 'application/json',
        schema: pageSchema(changeComponent),
        example: { items: [changeExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(call, { query }) {
      const { accountId, livemode } = call.caller
      const { change_kind: ofKind } = query
      const scope = [LIST, accountId, livemode, query.show, ofKind ?? '']
      const position = query.page_token === undefined ? null : parts.tokens.open(scope, query.page_token)
      if (query.page_token !== undefined && position === null) return unknownPageToken()
      const wanted = await listChanges(parts.database, seenBy(parts, call), {
        ...{ before: position?.[0] ?? null, pageSize: query.page_size + 1 },
        ...{ kind: ofKind ?? null, isOnlyOpen: query.show === 'open', now: parts.now() },
      })
      const shown = wanted.slice(0, query.page_size)
      const last = wanted.length > shown.length ? shown.at(-1)!.proposed.changeId : null
      const reader = await readerOf(parts, call)
      const items = await changeDocuments(parts, shown, reader)
      const next = last === null ? null : parts.tokens.seal(scope, [last])
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}

export function getProposedChange(parts: ProposedChangeParts): Endpoint {
  return keyedEndpoint<ChangePath>({
    operationId: 'getProposedChange',
    method: 'GET',
    path: '/v1/proposed-changes/{change_id}',
    tag: CHANGES_TAG,
    summary: 'Get a proposed change',
    description: 'The change, its proposer and reason, and the right of this caller to confirm it.',
    access: 'admin',
    pathSchema: changePath,
    answers: [
      {
        status: 200,
        description: 'The proposed change.',
        contentType: 'application/json',
        schema: changeComponent,
        example: changeExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const change = await findProposedChange(parts.database, path.change_id, seenBy(parts, call))
      if (change === null) return noChange()
      const document = await changeDocument(parts, change, await readerOf(parts, call))
      return jsonAnswer(200, JSON.stringify(document))
    },
  })
}
