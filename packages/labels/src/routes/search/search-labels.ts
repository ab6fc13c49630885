/** GET /v1/labels: which labels lists state, and since when they are known here. */
import { instant } from '@cupel/contracts'
import { soughtOwnerKeys } from '@cupel/domain'
import { MAX_LOOKED_AT, searchLabels, type Label, type LabelCursor } from '../../read-model/index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  chainParameter,
  text,
} from '@cupel/gate/http'
import { parsedAddress, type OwnLabelParts } from '../own-labels/own-label-description.js'
import { addressParameter } from '@cupel/reports/routes'

const DEFAULT_PAGE_SIZE = 50
const MAX_NAME_LENGTH = 200
const LIST = 'labels'
const PPM = 1_000_000

const labelQuery = z
  .strictObject({
    address: addressParameter.describe('Only labels that count for this address, whichever form they name.'),
    chain: chainParameter.describe('The chain of `address`; absent: every chain that it fits.'),
    source: text(MAX_NAME_LENGTH).optional().describe('Only labels of this publisher, such as `ofac_sdn`.'),
    dataset: text(MAX_NAME_LENGTH).optional().describe('Only labels of this dataset of `source`.'),
    category: text(MAX_NAME_LENGTH).optional().describe('Only labels of this category.'),
    entity: text(MAX_NAME_LENGTH)
      .optional()
      .describe('Only labels whose owner has a name that begins so, in any case of ASCII letters.'),
    page_size: pageSize(DEFAULT_PAGE_SIZE),
    page_token: pageToken,
  })
  .refine(({ address, chain }) => chain === undefined || address !== undefined, {
    error: 'A chain needs an address',
    path: ['chain'],
  })
  .refine(({ source, dataset }) => dataset === undefined || source !== undefined, {
    error: 'A dataset needs a source',
    path: ['dataset'],
  })

const labelComponent = z
  .object({
    label_id: z.string(),
    address: z.string().describe('In the notation of the source.'),
    chain: z.string(),
    category: z.string(),
    subcategory: z.string().nullable(),
    entity: z.string().describe('The owner, as the source names it; may be empty.'),
    source: z.string(),
    dataset: z.string(),
    source_url: z.string(),
    origin: z.string().describe('Who found it: lists that restate one origin count once.'),
    role: z.string(),
    kind: z.string(),
    confidence: z.number().describe('From 0 to 1.'),
    status: z
      .string()
      .describe(
        '`listed`: the list in force has it. `ended`: it has it no more. `historical`: only an older list had it.',
      ),
    observed_at: z.string().nullable().describe('When the source last stated it.'),
    valid_from: z
      .string()
      .nullable()
      .describe('Since when the source says that it holds; null if it does not say.'),
    valid_to: z.string().nullable(),
    known_from: instant.describe('Since when it is known here.'),
    known_to: instant.nullable().describe('When its end became known here; null while it is listed.'),
  })
  .meta({ id: 'Label' })

const labelExample: z.infer<typeof labelComponent> = {
  label_id: 'ofac_sdn/sdn/ETH/0x098b716b8aaf21512996dc57eb0615e2383e2f96',
  address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  chain: 'ETH',
  category: 'sanctions',
  subcategory: null,
  entity: 'LAZARUS GROUP',
  source: 'ofac_sdn',
  dataset: 'sdn',
  source_url: 'https://sanctionssearch.ofac.treas.gov/',
  origin: 'us-ofac',
  role: 'owner',
  kind: 'designation',
  confidence: 1,
  status: 'listed',
  observed_at: '2026-11-20',
  valid_from: '2022-04-14',
  valid_to: null,
  known_from: '2026-11-20T18:00:00.000Z',
  known_to: null,
}

export function searchLabelsEndpoint({
  database,
  tokens,
}: Omit<OwnLabelParts, 'ownLabelFollowers'>): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof labelQuery>>({
    operationId: 'searchLabels',
    method: 'GET',
    path: '/v1/labels',
    tag: 'Label lists',
    summary: 'Search the labels of lists',
    description: `Which labels an address has, from which list and since when; or what a list, a category or an owner has. Labels that ended are shown too. A call looks at ${MAX_LOOKED_AT.toLocaleString('en')} labels at most, so a page of a search may be empty and still have a next one. The sandbox reads no lists: for its keys the answer is empty.`,
    access: 'read-only',
    querySchema: labelQuery,
    answers: [
      {
        status: 200,
        description: 'A page of labels.',
        contentType: 'application/json',
        schema: pageSchema(labelComponent),
        example: { items: [labelExample], next_page_token: null },
      },
    ],
    problems: ['invalid_address', 'unsupported_chain', 'chain_mismatch', 'unavailable'],
    async handle({ caller: { accountId, livemode } }, { query }) {
      const { address, chain, source, dataset, category, entity, page_token: token } = query
      const found = address === undefined ? null : parsedAddress(address, chain)
      if (found !== null && 'code' in found) return found
      const lookupKeys = found === null ? null : soughtOwnerKeys(found.parsed)
      const search = {
        ...{ lookupKeys, source: source ?? null, dataset: dataset ?? null },
        ...{ category: category ?? null, entity: entity ?? null },
      }
      const scope = [LIST, accountId, livemode, JSON.stringify(search)]
      const after = token === undefined ? null : cursorOf(tokens.open(scope, token))
      if (token !== undefined && after === null) return unknownPageToken()
      if (!livemode) return jsonAnswer(200, JSON.stringify({ items: [], next_page_token: null }))
      const { items, next } = await searchLabels(database, search, { after, pageSize: query.page_size })
      const nextToken = next === null ? null : tokens.seal(scope, [next.entity, next.importId, next.labelId])
      return jsonAnswer(200, JSON.stringify({ items: items.map(labelDocument), next_page_token: nextToken }))
    },
  })
}

function cursorOf(position: readonly string[] | null): LabelCursor | null {
  const [entity, importId, labelId] = position ?? []
  return entity === undefined || importId === undefined || labelId === undefined
    ? null
    : { entity, importId, labelId }
}

function labelDocument(label: Label): z.infer<typeof labelComponent> {
  return {
    label_id: label.labelId,
    address: label.address,
    chain: label.chain,
    category: label.category,
    subcategory: label.subcategory === '' ? null : label.subcategory,
    entity: label.entity,
    source: label.source,
    dataset: label.dataset,
    source_url: label.sourceUrl,
    origin: label.origin,
    role: label.role,
    kind: label.kind,
    confidence: label.confidencePpm / PPM,
    status: label.listed ? 'listed' : label.historical ? 'historical' : 'ended',
    observed_at: label.observedAt,
    valid_from: label.validFrom,
    valid_to: label.validTo,
    known_from: label.knownFrom,
    known_to: label.knownTo,
  }
}
