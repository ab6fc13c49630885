/** GET /v1/inbox: what waits for a person, newest first. */
import { riskLevels } from '@cupel/contracts'
import { listInbox } from '../../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
} from '@cupel/gate/http'
import {
  entryDocument,
  entryExample,
  inboxEntryComponent,
  kindField,
  readerOf,
  type InboxParts,
} from './inbox-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'inbox'

const inboxQuery = z.strictObject({
  show: z
    .enum(['all', 'unread'])
    .default('all')
    .describe('`unread`: only entries that this person, or the holder of this key, has not read.'),
  kind: kindField.optional().describe('Only entries of this kind.'),
  level: z.enum(riskLevels).optional().describe('Only changes to this level.'),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listInboxEndpoint(parts: InboxParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof inboxQuery>>({
    operationId: 'listInboxEntries',
    method: 'GET',
    path: '/v1/inbox',
    tag: 'Inbox',
    summary: 'List the inbox',
    description:
      'Changed reports of watched addresses, proposals that wait for a second person, and watches that keep failing; newest first. Each person has their own marks. A page of a search may be empty and still have a next one.',
    access: 'read-only',
    querySchema: inboxQuery,
    answers: [
      {
        status: 200,
        description: 'A page of entries.',
        contentType: 'application/json',
        schema: pageSchema(inboxEntryComponent),
        example: { items: [entryExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(call, { query }) {
      const { database, tokens } = parts
      const { accountId, livemode } = call.caller
      const { show, kind, level } = query
      const scope = [LIST, accountId, livemode, show, kind ?? '', level ?? '']
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      const [at, entryId] = position ?? []
      const after = at === undefined || entryId === undefined ? null : { at, entryId }
      if (query.page_token !== undefined && after === null) return unknownPageToken()
      const page = await listInbox(database, await readerOf(parts, call), {
        ...{ pageSize: query.page_size, after },
        filter: { isUnread: show === 'unread', kind: kind ?? null, level: level ?? null },
      })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.at, page.next.entryId])
      const items = page.items.map(entryDocument)
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}
