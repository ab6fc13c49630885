/** GET /v1/transfers: the account's screened transfers, newest first. Eventually consistent, as the list of reports. */
import type { Caller } from '@cupel/gate/access'
import { riskLevels } from '@cupel/contracts'
import { recommendations } from '@cupel/domain'
import type { ReportFilter } from '@cupel/reports/read-model'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  SLICE_ITEMS,
  type LargeRead,
  type LargeReads,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Refusal,
  chainParameter,
  MAX_REFERENCE_LENGTH,
  text,
  timeRange,
} from '@cupel/gate/http'
import { addressParameter, cursorOf, filterOf, scopeOf, type ReportListing } from '@cupel/reports/routes'
import { transferComponent, transferExample, transferText } from '@cupel/reports/document'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'transfers'

const transferQuery = z.strictObject({
  address: addressParameter.describe(
    'Only transfers whose counterparty is the owner of this address: in every spelling, and in every form of its key.',
  ),
  chain: chainParameter.describe('Only transfers on this chain; a code in any case.'),
  level: z.enum(riskLevels).optional().describe('Only transfers with a counterparty of this level.'),
  recommendation: z.enum(recommendations).optional().describe('Only transfers with this recommendation.'),
  reference: text(MAX_REFERENCE_LENGTH).optional().describe('Only transfers with exactly this reference.'),
  ...timeRange,
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})
type TransferQuery = z.infer<typeof transferQuery>

export function listTransfers(
  { list, tokens }: ReportListing,
  largeReads: Pick<LargeReads, 'during'>,
): Endpoint {
  return keyedEndpoint<undefined, TransferQuery>({
    operationId: 'listTransfers',
    method: 'GET',
    path: '/v1/transfers',
    tag: 'Transfers',
    summary: 'List screened transfers',
    description:
      'The screened transfers of the key’s account and environment, newest first. New ones do not move the pages. A page that is narrowed by reference, address, chain or level may be short, or empty, and still have a next one. A transfer may appear a moment after its screening was answered.',
    access: 'read-only',
    querySchema: transferQuery,
    answers: [
      {
        status: 200,
        description: 'A page of transfers.',
        contentType: 'application/json',
        schema: pageSchema(transferComponent),
        example: { items: [transferExample], next_page_token: null },
      },
    ],
    problems: ['invalid_address', 'unsupported_chain', 'chain_mismatch', 'report_retired', 'unavailable'],
    async handle({ caller }, { query }): Promise<Answer | Refusal> {
      const { reference, recommendation, ...rest } = query
      const found = filterOf({ ...rest, customer_reference: reference, disposition: undefined })
      if ('code' in found) return found
      const filter: ReportFilter = { ...found, recommendations: recommendation ?? recommendations }
      const scope = scopeOfTransfers(caller, filter, reference)
      const after = query.page_token === undefined ? null : cursorOf(tokens.open(scope, query.page_token))
      if (after === undefined) return unknownPageToken()
      const answerIn = async (slice: LargeRead['slice']): Promise<Answer> => {
        const page = await slice(() => list(caller, { filter, pageSize: query.page_size, after }))
        const next = page.next === null ? null : tokens.seal(scope, [page.next.endedAt, page.next.reportId])
        const items = await textsInSlices(page.items, slice)
        return jsonAnswer(200, `{"items":[${items.join(',')}],"next_page_token":${JSON.stringify(next)}}`)
      }
      return query.page_size > SLICE_ITEMS
        ? await largeReads.during(caller, (read) => answerIn((work) => read.slice(work)))
        : await answerIn((work) => work())
    },
  })
}

/** Each transfer is made from the whole report of its counterparty. */
async function textsInSlices(
  reports: readonly { readonly document: string }[],
  slice: LargeRead['slice'],
): Promise<string[]> {
  const texts: string[] = []
  for (let at = 0; at < reports.length; at += SLICE_ITEMS) {
    const some = reports.slice(at, at + SLICE_ITEMS)
    texts.push(...(await slice(async () => some.flatMap(({ document }) => transferText(document) ?? []))))
  }
  return texts
}

const scopeOfTransfers = (caller: Caller, filter: ReportFilter, reference?: string): (string | boolean)[] => [
  LIST,
  ...scopeOf(caller, filter, reference),
  [filter.recommendations ?? []].flat().join(' '),
]
