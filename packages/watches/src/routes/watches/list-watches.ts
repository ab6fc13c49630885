/** GET /v1/watches: the watches of the account, newest first. */
import { listWatches } from '../../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  isInCalendar,
  NO_SUCH_TIME,
} from '@cupel/gate/http'
import {
  listReasons,
  ownerOf,
  watchComponent,
  watchDocument,
  watchExample,
  type WatchParts,
} from './watch-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'watches'

const watchQuery = z.strictObject({
  changed_in: z.iso
    .date()
    .refine(isInCalendar, NO_SUCH_TIME)
    .optional()
    .describe(
      'Only watches that changed according to the digest of this day, and to no later one; YYYY-MM-DD.',
    ),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listWatchesEndpoint({ database, tokens }: WatchParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof watchQuery>>({
    operationId: 'listWatches',
    method: 'GET',
    path: '/v1/watches',
    tag: 'Watches',
    summary: 'List watches',
    description: 'Newest first, those that ended too.',
    access: 'read-only',
    querySchema: watchQuery,
    answers: [
      {
        status: 200,
        description: 'A page of watches.',
        contentType: 'application/json',
        schema: pageSchema(watchComponent),
        example: { items: [watchExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(call, { query }) {
      const owner = ownerOf(call)
      const changedIn = query.changed_in ?? null
      const scope = [LIST, owner.accountId, owner.livemode, changedIn ?? '']
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      const [createdAt, watchId] = position ?? []
      const after = createdAt === undefined || watchId === undefined ? null : { createdAt, watchId }
      if (query.page_token !== undefined && after === null) return unknownPageToken()
      const page = await listWatches(database, owner, { pageSize: query.page_size, after, changedIn })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.createdAt, page.next.watchId])
      const reasons = await listReasons(database, owner)
      const items = page.items.map((watch) => watchDocument(watch, reasons))
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}
