/** POST /v1/list-imports: begins the import of a label file, which is sent in parts. */
import { createListOrder, publishedList } from '../../index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, refuse, statuses } from '@cupel/gate/http'
import {
  importAuthor,
  importComponent,
  importDocument,
  importExample,
  importFields,
  importRefusal,
  LIST_IMPORTS,
  type ListImportParts,
} from './import-description.js'

const formatOf = (name: Parameters<typeof publishedList>[0]): string => publishedList(name).format

const importBody = z.strictObject(importFields).meta({ id: 'NewListImportRequest' })

export function createListImport({ database }: ListImportParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof importBody>>({
    operationId: 'createListImport',
    method: 'POST',
    path: '/v1/list-imports',
    tag: LIST_IMPORTS,
    summary: 'Begin to import a list',
    description:
      'Send the file in parts next, then have it checked: the answer says what would change. Nothing changes until the import is confirmed. For operators: all accounts share the lists.',
    access: 'operator',
    bodySchema: importBody,
    bodyExample: { format: importExample.format, dataset: importExample.dataset },
    answers: [
      {
        status: statuses.created,
        description: 'The import; it waits for the file.',
        contentType: 'application/json',
        schema: importComponent,
        headers: { Location: { description: 'Path of the import.', schema: z.string() } },
        example: { ...importExample, status: 'receiving', bytes: 0, result: null },
      },
    ],
    problems: ['import_conflict', 'unavailable'],
    judge({ body: { fetch, format } }) {
      if (fetch === undefined || format === formatOf(fetch)) return { judged: undefined }
      const detail = `The list has the layout ${formatOf(fetch)}.`
      return refuse('invalid_request', detail, { errors: [{ pointer: '/format', detail }] })
    },
    async handle(call, { body }) {
      const { dataset: set, list_date: asOf, ...request } = body
      const order = await createListOrder(database, {
        request: { ...request, set, asOf },
        by: importAuthor(call),
      })
      if (typeof order === 'string') return importRefusal(order)
      const location = `/v1/list-imports/${order.orderId}`
      return jsonAnswer(statuses.created, JSON.stringify(importDocument(order)), { location })
    },
  })
}
