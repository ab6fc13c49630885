/** POST /v1/list-imports/{import_id}/parts, /check and /confirm: the file of an import, a look at it, and the import itself. */
import {
  addListPart,
  checkListOrder,
  confirmListOrder,
  type ListOrder,
  type OrderRefusal,
} from '../../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  refuse,
  type Refusal,
  statuses,
  orAbsent,
} from '@cupel/gate/http'
import { needsSecondPerson, reasonField } from '@cupel/gate/routes'
import {
  importAuthor,
  importComponent,
  importDocument,
  importExample,
  importPath,
  importRefusal,
  LIST_IMPORTS,
  PART_BYTES,
  type ImportPath,
  type ListImportParts,
} from './import-description.js'

/** Characters of a part in base64. */
const MAX_PART_LENGTH = 4 * Math.ceil(PART_BYTES / 3)
const MAX_PARTS = 1_000_000
/** A file has fewer rows. */
const MAX_ACCEPTED = 2_147_483_647

const partBody = z
  .strictObject({
    part: z.int().min(0).max(MAX_PARTS).describe('The number of the part, from 0, in order.'),
    content: z
      .string()
      .min(1)
      .max(MAX_PART_LENGTH)
      .refine((content) => content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content), {
        error: 'Expected base64 with its padding',
      })
      .describe(`The next ${PART_BYTES} bytes of the file at most, in base64.`),
  })
  .meta({ id: 'ListImportPartRequest' })

const answerOf = (status: number, order: ListOrder | OrderRefusal): Answer | Refusal =>
  typeof order === 'string' ? importRefusal(order) : jsonAnswer(status, JSON.stringify(importDocument(order)))

const described = (status: number, description: string, change: Partial<typeof importExample>) => ({
  ...{ status, description, contentType: 'application/json', schema: importComponent },
  example: { ...importExample, ...change },
})

export function addListImportPart({ database }: ListImportParts): Endpoint {
  return keyedEndpoint<ImportPath, undefined, z.infer<typeof partBody>>({
    operationId: 'addListImportPart',
    method: 'POST',
    path: '/v1/list-imports/{import_id}/parts',
    tag: LIST_IMPORTS,
    summary: 'Send a part of the file',
    description: 'The same part with the same bytes a second time changes nothing.',
    access: 'operator',
    maxStringLength: MAX_PART_LENGTH,
    pathSchema: importPath,
    bodySchema: partBody,
    bodyExample: { part: 0, content: 'PHNkbkxpc3Q+' },
    answers: [described(statuses.ok, 'The import with this part.', { status: 'receiving', result: null })],
    problems: ['not_found', 'import_conflict', 'unavailable'],
    async handle(_call, { path, body }) {
      const content = Buffer.from(body.content, 'base64')
      return answerOf(
        statuses.ok,
        await addListPart(database, { orderId: path.import_id, part: body.part, content }),
      )
    },
  })
}

export function checkListImport({ database }: ListImportParts): Endpoint {
  return keyedEndpoint<ImportPath>({
    operationId: 'checkListImport',
    method: 'POST',
    path: '/v1/list-imports/{import_id}/check',
    tag: LIST_IMPORTS,
    summary: 'See what an import would change',
    description:
      'The file is whole. It is read and compared with the list in force; nothing changes. Read the import until its status is no longer `checking`.',
    access: 'operator',
    pathSchema: importPath,
    answers: [described(statuses.accepted, 'The look is ordered.', { status: 'checking', result: null })],
    problems: ['not_found', 'import_conflict', 'unavailable'],
    async handle(_call, { path }) {
      return answerOf(statuses.accepted, await checkListOrder(database, path.import_id))
    },
  })
}

const confirmBody = z
  .strictObject({
    accept_removals: orAbsent(z.int().min(1).max(MAX_ACCEPTED)).describe(
      'Exactly the `removals` of the look, where it named some.',
    ),
    accept_unreadable: orAbsent(z.int().min(1).max(MAX_ACCEPTED)).describe(
      'Exactly the number of unreadable rows, where you looked at each.',
    ),
    reason: reasonField.describe('Why what you accept is right; the log keeps it.'),
  })
  .meta({ id: 'ListImportConfirmationRequest' })

export function confirmListImport(parts: ListImportParts): Endpoint {
  const { database } = parts
  return keyedEndpoint<ImportPath, undefined, z.infer<typeof confirmBody>>({
    operationId: 'confirmListImport',
    method: 'POST',
    path: '/v1/list-imports/{import_id}/confirm',
    tag: LIST_IMPORTS,
    summary: 'Confirm an import',
    description:
      'Imports the file that was looked at, all of it or nothing. What would end many designations, or leave rows unread, is refused again unless its exact number is accepted with a reason. Read the import until its status is no longer `importing`.',
    access: 'operator',
    pathSchema: importPath,
    bodySchema: confirmBody,
    bodyExample: { accept_removals: 87, reason: 'OFAC delisted Tornado Cash' },
    answers: [described(statuses.accepted, 'The import is ordered.', { status: 'importing', result: null })],
    problems: ['not_found', 'import_conflict', 'second_person_required', 'unavailable'],
    judge({ body: { accept_removals: removals, accept_unreadable: unreadable, reason } }) {
      if (reason !== undefined || (removals === undefined && unreadable === undefined))
        return { judged: undefined }
      const detail = 'An acceptance needs a reason.'
      return refuse('invalid_request', detail, { errors: [{ pointer: '/reason', detail }] })
    },
    async handle(call, { path, body }) {
      const accepts = body.accept_removals !== undefined || body.accept_unreadable !== undefined
      if (accepts && parts.needsSecondPerson) return needsSecondPerson()
      const order = await confirmListOrder(database, {
        ...{ orderId: path.import_id, by: importAuthor(call) },
        acceptRemovals: body.accept_removals ?? null,
        acceptUnreadable: body.accept_unreadable ?? null,
        reason: body.reason ?? null,
      })
      return answerOf(statuses.accepted, order)
    },
  })
}
