/** GET /v1/audit-log: the calls made with the account's keys, newest first. Eventually consistent, like every list. */
import type { Caller } from '@cupel/gate/access'
import { instant } from '@cupel/contracts'
import type { AuditCursor, AuditEntry, AuditPage, AuditQuery } from '../../read-model/index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  SLICE_ITEMS,
  type LargeRead,
  type LargeReads,
  type PageTokens,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Refusal,
  text,
  timeRange,
} from '@cupel/gate/http'

export interface AuditListing {
  readonly list: (caller: Caller, query: Omit<AuditQuery, 'accountId' | 'livemode'>) => Promise<AuditPage>
  readonly tokens: PageTokens
}

const DEFAULT_PAGE_SIZE = 50
/** Entries of one turn: one or two milliseconds of the process. */
const SLICE_ENTRIES = 50
const MAX_KEY_ID_LENGTH = 64
/** Ids of objects, paths of endpoints and addresses of clients are shorter. */
const MAX_FILTER_LENGTH = 128
const LIST = 'audit-log'

const auditQuery = z.strictObject({
  key_id: text(MAX_KEY_ID_LENGTH).optional().describe('Only calls with this key.'),
  route: text(MAX_FILTER_LENGTH)
    .optional()
    .describe('Only calls of this endpoint: its path, with the names of its parameters.'),
  subject_id: text(MAX_FILTER_LENGTH)
    .optional()
    .describe('Only calls that concerned or made this object, such as a report.'),
  client_address: text(MAX_FILTER_LENGTH).optional().describe('Only calls from this address.'),
  outcome: z.enum(['problem']).optional().describe('`problem`: only calls that were refused or failed.'),
  ...timeRange,
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

const auditEntry = z
  .object({
    at: instant.describe('When the call came; UTC, RFC 3339 with milliseconds.'),
    request_id: z.string().describe('`Request-Id` of the answer.'),
    key_id: z.string().describe('Id of the key of the call; the key itself is stored nowhere.'),
    scope: z.string().describe('Scope of that key.'),
    actor: z
      .string()
      .nullable()
      .describe('Name of the person who called, where a sign-in service vouches for it; null otherwise.'),
    client_address: z.string().describe('Address the call came from.'),
    method: z.string(),
    route: z
      .string()
      .describe('Path of the endpoint, with the names of its parameters; `/*` where no endpoint has it.'),
    status: z.int().describe('HTTP status of the answer.'),
    code: z.string().nullable().describe('Code of the problem; null for a success.'),
    subject_ids: z
      .array(z.string())
      .describe('Ids of the objects that the call concerned or made, such as a report.'),
    latency_ms: z.number().describe('From the head of the request to its outcome.'),
    livemode: z.boolean(),
  })
  .meta({ id: 'AuditEntry' })

const auditExample: z.infer<typeof auditEntry> = {
  at: '2026-11-21T09:00:00.000Z',
  request_id: '019aa5c8-7f00-7000-8000-000000000001',
  key_id: '8f2k1m0a',
  scope: 'read-write',
  actor: null,
  client_address: '203.0.113.9',
  method: 'POST',
  route: '/v1/screen',
  status: 200,
  code: null,
  subject_ids: ['9f2c4a1be07d6358'],
  latency_ms: 4.25,
  livemode: true,
}

export function listAuditLog(
  { list, tokens }: AuditListing,
  largeReads: Pick<LargeReads, 'during'>,
): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof auditQuery>>({
    operationId: 'listAuditLog',
    method: 'GET',
    path: '/v1/audit-log',
    tag: 'Audit log',
    summary: 'List the use of keys',
    description:
      'Every call made with a key of the account, in the key’s environment, newest first, including rejected calls, for example for their scope. A call may appear a moment after it was answered. A page that is narrowed by key, route, subject, client address or outcome may be short, or empty, and still have a next one.',
    access: 'read-only',
    querySchema: auditQuery,
    answers: [
      {
        status: 200,
        description: 'A page of calls.',
        contentType: 'application/json',
        schema: pageSchema(auditEntry),
        example: { items: [auditExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle({ caller }, { query }): Promise<Answer | Refusal> {
      const { page_size, page_token, ...narrowed } = query
      // Absent filters have no name in it, so that a token fits only the filters it was made for.
      const scope = [LIST, caller.accountId, caller.livemode, JSON.stringify(narrowed)]
      const after = page_token === undefined ? null : cursorOf(tokens.open(scope, page_token))
      if (after === undefined) return unknownPageToken()
      const page = (pageSize: number, from: AuditCursor | null): Promise<AuditPage> =>
        list(caller, {
          ...{
            keyId: query.key_id,
            route: query.route,
            subjectId: query.subject_id,
            from: query.from,
            to: query.to,
          },
          ...{ clientAddress: query.client_address, problemsOnly: query.outcome === 'problem' },
          ...{ pageSize, after: from },
        })
      const seal = (next: AuditCursor | null): string | null =>
        next === null ? null : tokens.seal(scope, [next.at, next.requestId])
      const take: Take = {
        page,
        sliceEntries: isSearch(query) ? page_size : SLICE_ENTRIES,
        wanted: page_size,
        after,
      }
      const answerIn = async (slice: LargeRead['slice']): Promise<Answer> => {
        const { items, next } = await takeInSlices(take, caller.livemode, slice)
        return jsonAnswer(200, `{"items":[${items}],"next_page_token":${JSON.stringify(seal(next))}}`)
      }
      return page_size > SLICE_ITEMS
        ? await largeReads.during(caller, (read) => answerIn((work) => read.slice(work)))
        : await answerIn((work) => work())
    },
  })
}

interface Take {
  readonly page: (pageSize: number, after: AuditCursor | null) => Promise<AuditPage>
  readonly sliceEntries: number
  readonly wanted: number
  readonly after: AuditCursor | null
}

/** The JSON of the entries, comma-separated, read and written a slice at a time: no call waits for a whole page of a hundred or two. */
async function takeInSlices(
  { page, sliceEntries, wanted, after }: Take,
  livemode: boolean,
  slice: LargeRead['slice'],
): Promise<{ readonly items: string; readonly next: AuditCursor | null }> {
  const texts: string[] = []
  let [taken, next] = [0, after]
  do {
    const size = Math.min(sliceEntries, wanted - taken)
    const read = await slice(async () => {
      const { items, next: rest } = await page(size, next)
      return { texts: items.map((entry) => JSON.stringify(itemOf(entry, livemode))), rest }
    })
    texts.push(...read.texts)
    taken += size
    next = read.rest
  } while (next !== null && taken < wanted)
  return { items: texts.join(','), next }
}

/** A filter without an index looks through many entries for a page, and would do so for each slice. */
const isSearch = (query: z.infer<typeof auditQuery>): boolean =>
  query.route !== undefined ||
  query.subject_id !== undefined ||
  query.client_address !== undefined ||
  query.outcome !== undefined

function itemOf(entry: AuditEntry, livemode: boolean): z.infer<typeof auditEntry> {
  return {
    at: entry.at,
    request_id: entry.requestId,
    key_id: entry.keyId,
    scope: entry.scope,
    actor: entry.actor,
    client_address: entry.clientAddress,
    method: entry.method,
    route: entry.route,
    status: entry.status,
    code: entry.code,
    subject_ids: [...entry.subjectIds],
    latency_ms: entry.latencyMs,
    livemode,
  }
}

/** Undefined if the token was not made here. */
function cursorOf(position: readonly string[] | null): AuditCursor | undefined {
  const [at, requestId] = position ?? []
  return at === undefined || requestId === undefined ? undefined : { at, requestId }
}
