/** GET /v1/list-imports and GET /v1/list-imports/{import_id}: the files that operators sent, and what came of them. */
import { findListOrder, listListOrders } from '../../index.js'
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
  importComponent,
  importDocument,
  importExample,
  importPath,
  importRefusal,
  LIST_IMPORTS,
  type ImportPath,
  type ListImportParts,
} from './import-description.js'

const DEFAULT_PAGE_SIZE = 20
const LIST = 'list-imports'

const importsQuery = z.strictObject({ page_size: pageSize(DEFAULT_PAGE_SIZE), page_token: pageToken })

export function listListImports({ database, tokens }: ListImportParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof importsQuery>>({
    operationId: 'listListImports',
    method: 'GET',
    path: '/v1/list-imports',
    tag: LIST_IMPORTS,
    summary: 'List the imports of lists',
    description:
      'Newest first. An import that nobody confirmed is forgotten after a day, any other after 400 days.',
    access: 'operator',
    querySchema: importsQuery,
    answers: [
      {
        status: 200,
        description: 'A page of imports.',
        contentType: 'application/json',
        schema: pageSchema(importComponent),
        example: { items: [importExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(_call, { query }) {
      const position = query.page_token === undefined ? null : tokens.open([LIST], query.page_token)
      const [orderedAt, orderId] = position ?? []
      const after = orderedAt === undefined || orderId === undefined ? null : { orderedAt, orderId }
      if (query.page_token !== undefined && after === null) return unknownPageToken()
      const { items, next } = await listListOrders(database, { after, pageSize: query.page_size })
      const token = next === null ? null : tokens.seal([LIST], [next.orderedAt, next.orderId])
      return jsonAnswer(200, JSON.stringify({ items: items.map(importDocument), next_page_token: token }))
    },
  })
}

export function getListImport({ database }: ListImportParts): Endpoint {
  return keyedEndpoint<ImportPath>({
    operationId: 'getListImport',
    method: 'GET',
    path: '/v1/list-imports/{import_id}',
    tag: LIST_IMPORTS,
    summary: 'Get an import of a list',
    description: 'Its status, and what the look or the import found.',
    access: 'operator',
    pathSchema: importPath,
    answers: [
      {
        status: 200,
        description: 'The import.',
        contentType: 'application/json',
        schema: importComponent,
        example: importExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle(_call, { path }) {
      const order = await findListOrder(database, path.import_id)
      return order === null
        ? importRefusal('unknown')
        : jsonAnswer(200, JSON.stringify(importDocument(order)))
    },
  })
}
