/** GET /v1/inbox/unread: how much waits for this person. */
import { countUnread } from '../../index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'
import { listReasons, ownerOf } from '../watches/watch-description.js'
import {
  readerOf,
  unreadComponent,
  unreadDocument,
  unreadExample,
  type InboxParts,
} from './inbox-description.js'

export function countUnreadEndpoint(parts: InboxParts): Endpoint {
  return keyedEndpoint({
    operationId: 'getUnreadCount',
    method: 'GET',
    path: '/v1/inbox/unread',
    tag: 'Inbox',
    summary: 'Count unread entries',
    description:
      'How many of the newest 1,000 entries of the inbox this person, or the holder of this key, has not read, and what of the lists lets no address be green.',
    access: 'read-only',
    answers: [
      {
        status: 200,
        description: 'The count.',
        contentType: 'application/json',
        schema: unreadComponent,
        example: unreadExample,
      },
    ],
    problems: ['unavailable'],
    async handle(call) {
      const unread = await countUnread(parts.database, await readerOf(parts, call))
      const reasons = await listReasons(parts.database, ownerOf(call))
      return jsonAnswer(200, JSON.stringify(unreadDocument(unread, reasons)))
    },
  })
}
