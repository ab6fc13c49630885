/** GET /v1/reports: the account's reports, newest first. Eventually consistent: a new report may appear a moment later. */
import type { Caller } from '@cupel/gate/access'
import { dispositions, reportExample, riskLevels } from '@cupel/contracts'
import { findChain, MAX_ADDRESS_LENGTH, parseAddress, soughtOwnerKeys } from '@cupel/domain'
import type { ReportCursor, ReportFilter, ReportPage } from '../read-model/index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  type PageTokens,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  refuse,
  type Refusal,
  chainParameter,
  MAX_REFERENCE_LENGTH,
  text,
  timeRange,
} from '@cupel/gate/http'
import { reportComponent } from './report-description.js'

export interface ReportListing {
  readonly list: (
    caller: Caller,
    query: { filter: ReportFilter; pageSize: number; after: ReportCursor | null },
  ) => Promise<ListedReports>
  readonly tokens: PageTokens
}

export interface ListedReports extends Pick<ReportPage, 'next'> {
  readonly items: readonly { readonly reportId: string; readonly document: string }[]
}

const DEFAULT_PAGE_SIZE = 50
const LIST = 'reports'

export const addressParameter = z
  .string()
  .optional()
  .meta({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH, pattern: '^[!-~]*$' })

const reportQuery = z.strictObject({
  address: addressParameter.describe(
    'Only reports of the owner of this address: in every spelling, and in every form of its key.',
  ),
  chain: chainParameter.describe('Only reports on this chain; a code in any case.'),
  level: z.enum(riskLevels).optional().describe('Only reports of this level.'),
  disposition: z
    .enum([...dispositions, 'none'])
    .optional()
    .describe(
      'Only reports on which people decided this. `open` includes cases in which nobody has decided yet; `none` means reports without a case. A change counts a moment later.',
    ),
  customer_reference: text(MAX_REFERENCE_LENGTH)
    .optional()
    .describe('Only reports with exactly this reference.'),
  ...timeRange,
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})
type ReportQuery = z.infer<typeof reportQuery>

export function listReports({ list, tokens }: ReportListing): Endpoint {
  return keyedEndpoint<undefined, ReportQuery>({
    operationId: 'listReports',
    method: 'GET',
    path: '/v1/reports',
    tag: 'Reports',
    summary: 'List reports',
    description:
      'The reports of the key’s account and environment, newest first. New reports do not move the pages. A page that is narrowed by disposition, or by more than one of reference, address, and level or chain, may be short, or empty, and still have a next one. A report may appear a moment after its screening was answered.',
    access: 'read-only',
    querySchema: reportQuery,
    answers: [
      {
        status: 200,
        description: 'A page of reports.',
        contentType: 'application/json',
        schema: pageSchema(reportComponent),
        example: { items: [reportExample], next_page_token: null },
      },
    ],
    problems: ['invalid_address', 'unsupported_chain', 'chain_mismatch', 'report_retired', 'unavailable'],
    async handle({ caller }, { query }): Promise<Answer | Refusal> {
      const filter = filterOf(query)
      if ('code' in filter) return filter
      const scope = scopeOf(caller, filter, query.customer_reference)
      const after = query.page_token === undefined ? null : cursorOf(tokens.open(scope, query.page_token))
      if (after === undefined) return unknownPageToken()
      const page = await list(caller, { filter, pageSize: query.page_size, after })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.endedAt, page.next.reportId])
      // Documents are sent as recorded, so that a report is the same wherever it is read.
      const items = page.items.map(({ document }) => document).join(',')
      return jsonAnswer(200, `{"items":[${items}],"next_page_token":${JSON.stringify(next)}}`)
    },
  })
}

/** Reports are found by the owner of an address: a caller may send any spelling or form, and finds those of all. */
export function filterOf({
  address,
  chain,
  level,
  disposition,
  customer_reference,
  from,
  to,
}: Omit<ReportQuery, 'page_size' | 'page_token'>): ReportFilter | Refusal {
  const rest = { level, disposition, customerReference: customer_reference, from, to }
  if (address === undefined) {
    const code = chain === undefined ? undefined : findChain(chain)?.code
    if (chain !== undefined && code === undefined) {
      const detail = 'The chain is not one of the supported chains; GET /v1/chains lists them.'
      return refuse('unsupported_chain', detail, { errors: [{ pointer: '/chain', detail }] })
    }
    return { chain: code, ...rest }
  }
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) {
    const pointer = parsed.code === 'invalid_address' ? '/address' : '/chain'
    return refuse(parsed.code, parsed.detail, { errors: [{ pointer, detail: parsed.detail }] })
  }
  return {
    ownerKeys: soughtOwnerKeys(parsed),
    chain: chain === undefined ? undefined : parsed.chain,
    ...rest,
  }
}

export function scopeOf(caller: Caller, filter: ReportFilter, customerReference = ''): (string | boolean)[] {
  const { ownerKeys = [], chain = '', level = '', disposition = '' } = filter
  const { from = '', to = '' } = filter
  const { accountId, livemode } = caller
  return [
    LIST,
    accountId,
    livemode,
    ownerKeys.join(' '),
    chain,
    level,
    disposition,
    customerReference,
    from,
    to,
  ]
}

/** Undefined if the token was not made here. */
export function cursorOf(position: readonly string[] | null): ReportCursor | undefined {
  const [endedAt, reportId] = position ?? []
  return endedAt === undefined || reportId === undefined ? undefined : { endedAt, reportId }
}
