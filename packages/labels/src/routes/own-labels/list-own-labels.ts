/** GET /v1/own-labels and /v1/own-labels/{label_id}: the labels that the account stated. */
import { soughtOwnerKeys } from '@cupel/domain'
import { findOwnLabel, listOwnLabels } from '../../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  refuse,
  chainParameter,
} from '@cupel/gate/http'
import { addressParameter } from '@cupel/reports/routes'
import {
  OWN_LABELS,
  ownLabelComponent,
  ownLabelDocument,
  ownLabelExample,
  ownLabelPath,
  parsedAddress,
  type OwnLabelParts,
  type OwnLabelPath,
} from './own-label-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'own-labels'

const ownLabelQuery = z
  .strictObject({
    address: addressParameter.describe('Only labels about the owner of this address, in any form.'),
    chain: chainParameter.describe('The chain of `address`; absent: every chain that it fits.'),
    page_size: pageSize(DEFAULT_PAGE_SIZE),
    page_token: pageToken,
  })
  .refine(({ address, chain }) => chain === undefined || address !== undefined, {
    error: 'A chain needs an address',
    path: ['chain'],
  })

export function listOwnLabelsEndpoint({ database, tokens }: OwnLabelParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof ownLabelQuery>>({
    operationId: 'listOwnLabels',
    method: 'GET',
    path: '/v1/own-labels',
    tag: OWN_LABELS,
    summary: 'List the own labels',
    description: 'Newest first, those that expired, were removed or were replaced too.',
    access: 'read-only',
    querySchema: ownLabelQuery,
    answers: [
      {
        status: 200,
        description: 'A page of labels.',
        contentType: 'application/json',
        schema: pageSchema(ownLabelComponent),
        example: { items: [ownLabelExample], next_page_token: null },
      },
    ],
    problems: ['invalid_address', 'unsupported_chain', 'chain_mismatch', 'unavailable'],
    async handle({ caller: { accountId, livemode } }, { query }) {
      const { address, chain, page_token: token } = query
      const found = address === undefined ? null : parsedAddress(address, chain)
      if (found !== null && 'code' in found) return found
      const lookupKeys = found === null ? null : soughtOwnerKeys(found.parsed)
      const scope = [LIST, accountId, livemode, lookupKeys?.join(' ') ?? '']
      const position = token === undefined ? null : tokens.open(scope, token)
      const [statedAt, labelId] = position ?? []
      const after = statedAt === undefined || labelId === undefined ? null : { statedAt, labelId }
      if (token !== undefined && after === null) return unknownPageToken()
      const asked = { accountId, livemode, lookupKeys, after, pageSize: query.page_size }
      const { items, next } = await listOwnLabels(database, asked)
      const nextToken = next === null ? null : tokens.seal(scope, [next.statedAt, next.labelId])
      return jsonAnswer(
        200,
        JSON.stringify({ items: items.map(ownLabelDocument), next_page_token: nextToken }),
      )
    },
  })
}

export function getOwnLabelEndpoint({ database }: OwnLabelParts): Endpoint {
  return keyedEndpoint<OwnLabelPath>({
    operationId: 'getOwnLabel',
    method: 'GET',
    path: '/v1/own-labels/{label_id}',
    tag: OWN_LABELS,
    summary: 'Get an own label',
    description: 'The label as it is now.',
    access: 'read-only',
    pathSchema: ownLabelPath,
    answers: [
      {
        status: 200,
        description: 'The label.',
        contentType: 'application/json',
        schema: ownLabelComponent,
        example: ownLabelExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle({ caller: { accountId, livemode } }, { path }) {
      const label = await findOwnLabel(database, { accountId, livemode, labelId: path.label_id })
      if (label === null) return refuse('not_found', 'The account has no such label.')
      return jsonAnswer(200, JSON.stringify(ownLabelDocument(label)))
    },
  })
}
