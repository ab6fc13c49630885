/** The common parts of every list: a page of a chosen size, and a token for the next one. */
import { z } from 'zod'
import { refuse, type Refusal } from './problem.js'
import { MAX_PAGE_TOKEN_LENGTH } from './page-token.js'

export const MAX_PAGE_SIZE = 200

/** The parameter `page_size`, as text in a query. */
export function pageSize(defaultSize: number, maxSize = MAX_PAGE_SIZE) {
  const error = `Expected a whole number from 1 to ${maxSize}`
  return z
    .string()
    .regex(/^[0-9]{1,3}$/, { error })
    .transform(Number)
    .refine((size) => size >= 1 && size <= maxSize, { error })
    .optional()
    .transform((size) => size ?? defaultSize)
    .meta({
      description: 'Items per page.',
      override: { type: 'integer', minimum: 1, maximum: maxSize, default: defaultSize },
    })
}

/** The parameter `page_token`. */
export const pageToken = z
  .string()
  .max(MAX_PAGE_TOKEN_LENGTH)
  .optional()
  .describe('`next_page_token` of the previous page, with the same filter; absent for the first page.')

/** The page as the API description shows it. A page of `Report` is a `ReportPage`. */
export function pageSchema(item: z.ZodType) {
  const id = item.meta()?.id
  if (id === undefined) throw new Error('The items of a page need a schema with an id')
  return z
    .object({
      items: z.array(item),
      next_page_token: z.string().nullable().describe('Token for the next page; null at the end.'),
    })
    .meta({ id: `${id}Page` })
}

export function unknownPageToken(): Refusal {
  const detail = 'The page token was not made for this list and filter.'
  return refuse('invalid_request', detail, { errors: [{ pointer: '/page_token', detail }] })
}
