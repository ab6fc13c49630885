/** GET /v1/usage/days: the calls of each key on each day of a range, for a bill or a chart. */
import type { Queryable } from '@cupel/postgres'
import { listUsageDays as readDays } from '../../read-model/index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  type PageTokens,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  timeRange,
} from '@cupel/gate/http'
import { usageCounts } from './get-usage.js'

export interface UsageDayParts {
  readonly database: Queryable
  readonly tokens: PageTokens
}

const LIST = 'usage-days'
const DEFAULT_PAGE_SIZE = 100

const keyDayComponent = usageCounts
  .extend({ day: z.string().describe('YYYY-MM-DD, UTC.'), key_id: z.string() })
  .meta({ id: 'KeyUsageDay' })

const daysQuery = z.strictObject({
  from: timeRange.from.describe('Only days that begin at this time or later.'),
  to: timeRange.to.describe('Only days that begin before this time.'),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listUsageDays({ database, tokens }: UsageDayParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof daysQuery>>({
    operationId: 'listKeyUsageDays',
    method: 'GET',
    path: '/v1/usage/days',
    tag: 'Usage',
    summary: 'List the use of keys by day',
    description:
      'The newest day first, and of a day one item for each key that was used. The figures are counted from the audit log and stay, however old they are.',
    access: 'read-only',
    querySchema: daysQuery,
    answers: [
      {
        status: 200,
        description: 'A page of days.',
        contentType: 'application/json',
        schema: pageSchema(keyDayComponent),
        example: {
          items: [
            { day: '2026-11-21', key_id: '8f2k1m0a', calls: 12, screens: 9, problems: 1, rate_limited: 0 },
          ],
          next_page_token: null,
        },
      },
    ],
    problems: ['unavailable'],
    async handle({ caller }, { query: { from, to, page_size: size, page_token: token } }) {
      const { accountId, livemode } = caller
      const scope = [LIST, accountId, livemode, JSON.stringify([from, to])]
      const position = token === undefined ? null : tokens.open(scope, token)
      const [day, keyId] = position ?? []
      const after = day === undefined || keyId === undefined ? null : { day, keyId }
      if (token !== undefined && after === null) return unknownPageToken()
      const { items, next } = await readDays(database, {
        accountId,
        livemode,
        from,
        to,
        pageSize: size,
        after,
      })
      const days = items.map(({ keyId: key, rateLimited, ...one }) => ({
        ...{ day: one.day, key_id: key, calls: one.calls, screens: one.screens },
        ...{ problems: one.problems, rate_limited: rateLimited },
      }))
      const nextToken = next === null ? null : tokens.seal(scope, [next.day, next.keyId])
      return jsonAnswer(200, JSON.stringify({ items: days, next_page_token: nextToken }))
    },
  })
}
