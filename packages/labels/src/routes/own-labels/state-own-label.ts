/** POST /v1/own-labels: states a label of the account about an address. */
import { riskCategories, withoutApiKeys } from '@cupel/domain'
import { MAX_OWN_LABELS, ownDecisions, stateOwnLabel } from '../../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  recorded,
  type Endpoint,
  refuse,
  statuses,
  chainCode,
  orAbsent,
  text,
} from '@cupel/gate/http'
import { expiryField } from '@cupel/gate/routes'
import {
  addressField,
  authorOf,
  OWN_LABELS,
  ownLabelComponent,
  ownLabelDocument,
  ownLabelExample,
  parsedAddress,
  type OwnLabelParts,
} from './own-label-description.js'

const MAX_REASON_LENGTH = 500

const reasonText = text(MAX_REASON_LENGTH)
  .regex(/[^\t\n\r ]/, { error: 'Nothing but blanks is given' })
  .refine((reason) => withoutApiKeys(reason) === reason, { error: 'This looks like an API key' })
  .meta({ maxLength: MAX_REASON_LENGTH, pattern: '^[^\\u0000]*[^\\u0000\\t\\n\\r ][^\\u0000]*$' })

const newLabelBody = z
  .strictObject({
    address: addressField.describe('The address, in any form that its chain allows.'),
    chain: chainCode.describe('Chain code, in any case; absent or null: detected from the address.'),
    decision: z.enum(ownDecisions).describe('`block` or `allow`.'),
    category: orAbsent(z.enum(riskCategories)).describe(
      'The statement of a block label on the address; for a block label only.',
    ),
    reason: reasonText.describe('Why, in your own words. No report contains it.'),
    expires_at: orAbsent(expiryField).describe(
      'From then on the label counts no more. Absent or null: never.',
    ),
  })
  .refine(({ decision, category }) => (decision === 'block') === (category !== undefined), {
    error: 'A block label needs a category, and an allow label has none',
    path: ['category'],
  })
  .meta({ id: 'NewOwnLabelRequest' })

export function stateOwnLabelEndpoint({ database, ownLabelFollowers: followers }: OwnLabelParts): Endpoint {
  return keyedEndpoint<undefined, undefined, z.infer<typeof newLabelBody>>({
    operationId: 'stateOwnLabel',
    method: 'POST',
    path: '/v1/own-labels',
    tag: OWN_LABELS,
    summary: 'Block or allow an address',
    description: `Counts from the next screen of the address on, for this account only, and on every chain on which its owner has the same key. A block label is evidence of confidence 0.9 in its category. An allow label has no points: it hides no other statement and lifts no designation. It only says that the account knows whose value the address holds, so that \`unattributed\` goes where it is the only reason against green. A label counts where the address itself is screened, not where it is a counterparty. An address has one label of an account: another one takes its place. An account has at most ${MAX_OWN_LABELS.toLocaleString('en')} labels in each environment.`,
    access: 'admin',
    bodySchema: newLabelBody,
    bodyExample: {
      ...{ address: ownLabelExample.address, chain: 'ETH', decision: 'block', category: 'scam' },
      reason: ownLabelExample.reason,
    },
    answers: [
      {
        status: statuses.created,
        description: 'The label.',
        contentType: 'application/json',
        schema: ownLabelComponent,
        headers: { Location: { description: 'Path of the label.', schema: z.string() } },
        example: ownLabelExample,
      },
    ],
    problems: ['invalid_address', 'unsupported_chain', 'chain_mismatch', 'unavailable'],
    async handle(call, { body }) {
      const found = parsedAddress(body.address, body.chain)
      if ('code' in found) return found
      const label = await stateOwnLabel(
        { database, followers },
        {
          ...{ ...authorOf(call, statuses.created), parsed: found.parsed, decision: body.decision },
          category: body.category ?? null,
          reason: call.seal.seal(body.reason),
          expiresAt: body.expires_at === undefined ? null : new Date(body.expires_at).toISOString(),
        },
      )
      if (label === null)
        return refuse('invalid_request', `An account has at most ${MAX_OWN_LABELS} labels of its own.`)
      const location = `/v1/own-labels/${label.labelId}`
      return recorded(jsonAnswer(statuses.created, JSON.stringify(ownLabelDocument(label)), { location }))
    },
  })
}
