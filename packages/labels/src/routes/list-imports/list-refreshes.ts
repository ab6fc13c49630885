/** GET and POST /v1/list-refreshes: the lists that are refreshed on a schedule, and a refresh now. */
import { dueNow, listSchedules, type ListStatus } from '../../index.js'
import { instant } from '@cupel/contracts'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  MAX_PAGE_SIZE,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  refuse,
  statuses,
  text,
} from '@cupel/gate/http'
import { LIST_IMPORTS, type ListImportParts } from './import-description.js'

const LIST = 'list-refreshes'
const MAX_NAME_LENGTH = 400

const refreshComponent = z
  .object({
    name: z.string().describe('The name of the list in the plan.'),
    due_at: instant.describe('When it is refreshed next.'),
    is_running: z.boolean(),
    attempted_at: instant.nullable().describe('When it was last begun; null for never.'),
    succeeded_at: instant.nullable().describe('When it last succeeded; null for never.'),
    changed_at: instant.nullable().describe('When it last brought another file; null for never.'),
    outcome: z
      .string()
      .nullable()
      .describe('`imported`, `unchanged`, or a code for the failure; null before the first.'),
    detail: z.string().nullable().describe('One sentence, if there is more to say.'),
    failures: z.int().describe('Failures in a row.'),
  })
  .meta({ id: 'ListRefresh' })

const example: z.infer<typeof refreshComponent> = {
  name: 'sdn',
  due_at: '2026-11-21T12:00:00.000Z',
  is_running: false,
  attempted_at: '2026-11-21T06:00:00.000Z',
  succeeded_at: '2026-11-21T06:00:00.000Z',
  changed_at: '2026-11-20T18:00:00.000Z',
  outcome: 'unchanged',
  detail: null,
  failures: 0,
}

const refreshesQuery = z.strictObject({ page_size: pageSize(MAX_PAGE_SIZE), page_token: pageToken })

export function listListRefreshes({ database, tokens }: ListImportParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof refreshesQuery>>({
    operationId: 'listListRefreshes',
    method: 'GET',
    path: '/v1/list-refreshes',
    tag: LIST_IMPORTS,
    summary: 'List the refreshes of lists',
    description:
      'Every list that was ever refreshed on a schedule, by name, with its last outcome. The operator’s refresh plan names them. For operators.',
    access: 'operator',
    querySchema: refreshesQuery,
    answers: [
      {
        status: 200,
        description: 'A page of refreshes.',
        contentType: 'application/json',
        schema: pageSchema(refreshComponent),
        example: { items: [example], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(_call, { query }) {
      const position = query.page_token === undefined ? null : tokens.open([LIST], query.page_token)
      if (position === null && query.page_token !== undefined) return unknownPageToken()
      const { items, next } = await listSchedules(database, {
        after: position?.[0] ?? null,
        pageSize: query.page_size,
      })
      const token = next === null ? null : tokens.seal([LIST], [next])
      return jsonAnswer(200, JSON.stringify({ items: items.map(documentOf), next_page_token: token }))
    },
  })
}

const refreshBody = z
  .strictObject({ name: text(MAX_NAME_LENGTH).describe('The name of the list in the plan.') })
  .meta({ id: 'ListRefreshRequest' })

export function refreshList({ database }: ListImportParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof refreshBody>>({
    operationId: 'refreshList',
    method: 'POST',
    path: '/v1/list-refreshes',
    tag: LIST_IMPORTS,
    summary: 'Refresh a list now',
    description:
      'The list is due now: the service that refreshes lists fetches it within seconds, with the same checks as on its schedule. For operators.',
    access: 'operator',
    bodySchema: refreshBody,
    bodyExample: { name: example.name },
    answers: [
      {
        status: statuses.accepted,
        description: 'The list is due.',
        contentType: 'application/json',
        schema: refreshComponent,
        example,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle(_call, { body }) {
      const due = await dueNow(database, body.name)
      return due === null
        ? refuse('not_found', 'No list of this name is refreshed.')
        : jsonAnswer(statuses.accepted, JSON.stringify(documentOf(due)))
    },
  })
}

const documentOf = (list: ListStatus): z.infer<typeof refreshComponent> => ({
  name: list.name,
  due_at: list.dueAt,
  is_running: list.isRunning,
  attempted_at: list.attemptedAt,
  succeeded_at: list.succeededAt,
  changed_at: list.changedAt,
  outcome: list.outcome,
  detail: list.detail,
  failures: list.failures,
})
