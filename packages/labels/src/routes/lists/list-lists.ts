/** GET /v1/lists: the lists that screenings use now, as a report made now would state them. */
import type { Caller } from '@cupel/gate/access'
import type { JudgedSet } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { readJudgedLists } from '../../read-model/index.js'
import { listRowsSchema } from '@cupel/contracts'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  type PageTokens,
  MAX_PAGE_SIZE,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Refusal,
} from '@cupel/gate/http'

export interface Lists {
  /** In order of source and dataset. */
  readonly judge: (caller: Caller) => Promise<readonly JudgedSet[]>
  readonly tokens: PageTokens
}

const LIST = 'lists'
const HOUR_MS = 3_600_000

const listsQuery = z.strictObject({ page_size: pageSize(MAX_PAGE_SIZE), page_token: pageToken })

const labelSetSchema = z
  .object({
    source: z.string().describe('The publisher. Empty for an expected list that never came.'),
    dataset: z.string(),
    authority: z
      .string()
      .nullable()
      .describe('The authority whose own list it is, such as us-ofac; null for any other source.'),
    whole: z.boolean().describe('All of the authority’s list; false for a part, and for other sources.'),
    required: z.boolean().describe('Nothing is green while this list is too old, in conflict or absent.'),
    list_date: z.string().nullable().describe('The date that the list states.'),
    confirmed_at: z
      .string()
      .nullable()
      .describe('When a configured refresh last found it at the authority’s own address.'),
    published_at: z.string().nullable().describe('When this version came into force here; null if none did.'),
    age_hours: z
      .number()
      .nullable()
      .describe(
        'Hours since the later of `list_date` and `confirmed_at`; null if neither is known. Never below 0.',
      ),
    labels: z.int().min(0),
    rows: listRowsSchema,
    status: z
      .string()
      .describe(
        'current, old, incomplete, conflict, superseded, withdrawn or missing; as `coverage.labels.lists` of a report.',
      ),
  })
  .meta({ id: 'LabelList' })
type LabelSet = z.infer<typeof labelSetSchema>

const example: LabelSet = {
  source: 'ofac_sdn',
  dataset: 'sdn',
  authority: 'us-ofac',
  whole: true,
  required: true,
  list_date: '2026-11-20',
  confirmed_at: '2026-11-21T06:00:00.000Z',
  published_at: '2026-11-20T18:00:00.000Z',
  age_hours: 3,
  labels: 1053,
  rows: { read: 1055, refused: 0, skipped: 0, unreadable: 2, accepted: 2 },
  status: 'current',
}

export function listLists({ judge, tokens }: Lists): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof listsQuery>>({
    operationId: 'listLists',
    method: 'GET',
    path: '/v1/lists',
    tag: 'Label lists',
    summary: 'List the label lists',
    description:
      'Every list of labels that the installation has or expects, judged at this moment under the policy in force, as a report made now would state it. The sandbox reads no lists: for its keys the answer is empty.',
    access: 'read-only',
    querySchema: listsQuery,
    answers: [
      {
        status: 200,
        description: 'A page of lists.',
        contentType: 'application/json',
        schema: pageSchema(labelSetSchema),
        example: { items: [example], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle({ caller }, { query }): Promise<Answer | Refusal> {
      const scope = [LIST, caller.accountId, caller.livemode]
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      if (position === null && query.page_token !== undefined) return unknownPageToken()
      const nowMs = Date.now()
      const after = position?.[0]
      const lists = (await judge(caller)).filter((set) => after === undefined || placeOf(set) > after)
      const page = lists.slice(0, query.page_size)
      const next = lists.length > page.length ? tokens.seal(scope, [placeOf(page.at(-1)!)]) : null
      const items = page.map((set) => itemOf(set, nowMs))
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}

/** The sandbox reads no lists. */
export async function judgeSets(database: Queryable, { livemode }: Caller): Promise<readonly JudgedSet[]> {
  if (!livemode) return []
  const { labelSets } = await readJudgedLists(database, new Date())
  return [...labelSets].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}

const placeOf = ({ source, dataset }: JudgedSet): string => JSON.stringify([source, dataset])

function itemOf(set: JudgedSet, nowMs: number): LabelSet {
  const dates = [set.asOf, set.confirmedAt].flatMap((date) => (date === null ? [] : [Date.parse(date)]))
  const ageMs = dates.length === 0 ? null : Math.max(0, nowMs - Math.max(...dates))
  return {
    source: set.source,
    dataset: set.dataset,
    authority: set.authorityOrigin === '' ? null : set.authorityOrigin,
    whole: set.whole,
    required: set.isRequired || set.status === 'missing',
    list_date: set.asOf,
    confirmed_at: set.confirmedAt,
    published_at: set.publishedAt === '' ? null : set.publishedAt,
    age_hours: ageMs === null ? null : Math.round((ageMs / HOUR_MS) * 10) / 10,
    labels: set.visible,
    rows: set.rows,
    status: set.status,
  }
}
