/** POST /v1/inbox/marks: marks entries as read, or as unread again, only for this person. */
import { countUnread, markEntries } from '../../index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, refuse } from '@cupel/gate/http'
import { listReasons, ownerOf } from '../watches/watch-description.js'
import {
  entryExample,
  entryIdField,
  MAX_MARKED,
  readerOf,
  unreadComponent,
  unreadDocument,
  unreadExample,
  type InboxParts,
} from './inbox-description.js'

const marksBody = z
  .strictObject({
    entry_ids: z.array(entryIdField).min(1).max(MAX_MARKED).describe('Entries of the inbox.'),
    read: z.boolean().describe('True marks them as read, false as unread again.'),
  })
  .meta({ id: 'InboxMarksRequest' })

export function markEntriesEndpoint(parts: InboxParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof marksBody>>({
    operationId: 'markInboxEntries',
    method: 'POST',
    path: '/v1/inbox/marks',
    tag: 'Inbox',
    summary: 'Mark entries as read',
    description:
      'All of the entries or, if the account does not have one of them, none. Marks of other persons stay. A repeat changes nothing.',
    access: 'read-only',
    bodySchema: marksBody,
    bodyExample: { entry_ids: [entryExample.entry_id], read: true },
    answers: [
      {
        status: 200,
        description: 'The entries that are unread now.',
        contentType: 'application/json',
        schema: unreadComponent,
        example: unreadExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle(call, { body }) {
      const reader = await readerOf(parts, call)
      const { unknown } = await markEntries(parts.database, reader, {
        ...{ entryIds: body.entry_ids, isRead: body.read },
      })
      if (unknown !== null) return refuse('not_found', `The inbox does not have the entry ${unknown}.`)
      const unread = await countUnread(parts.database, reader)
      const reasons = await listReasons(parts.database, ownerOf(call))
      return jsonAnswer(200, JSON.stringify(unreadDocument(unread, reasons)))
    },
  })
}
