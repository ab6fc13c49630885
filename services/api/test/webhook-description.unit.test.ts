/** The described messages are those that are sent: each body of the domain fits its schema, and no member is left out of it. */
import {
  changeWebhookBody,
  digestWebhookBody,
  jobWebhookBody,
  testWebhookBody,
  transferWebhookBody,
} from '@cupel/domain'
import { transferExample } from '@cupel/reports/document'
import { reportExample } from '@cupel/contracts'
import { describe, expect, test } from 'vitest'
import { openapiDocument } from '../src/openapi-document.js'
import { describedWebhooks, webhooksInOrder } from '@cupel/webhooks/routes'

const AT = '2026-11-21T09:00:00.000Z'
const job = {
  ...{ jobId: 'job_1', name: 'Customers', livemode: true, status: 'completed_with_errors', endedAt: AT },
  ...{ total: 3, completed: 1, failed: 1, cancelled: 1 },
}
const done = (report: object) => ({
  ...{ number: 1, address: '0xA', reference: 'order-1', status: 'completed' },
  ...{ reportId: reportExample.report_id, report: JSON.stringify(report), error: null },
})
const none = { reportId: null, report: null, error: null }
const items = (report: object) => [
  done(report),
  { ...none, number: 2, address: 'x', status: 'failed', error: { code: 'invalid_address', detail: 'no' } },
  { ...none, number: 3, address: 'y', status: 'cancelled' },
]
const URL = 'https://cupel.example.com/v1/bulk/job_1/results'
const large = { ...reportExample, filler: 'x'.repeat(5_000_000) }
const summary = { reportId: 'a', level: 'red', score: 95 }
const watch = { watchId: 'wat_1', address: '0xA', chain: 'ETH' }
const change = {
  ...{ ...watch, reference: null, previous: summary, current: summary, causes: ['labels'], changedAt: AT },
  ...{
    split: { labels: 1, funds: 0, policy: 0, scorer: 0, time: 0, notExamined: 0 },
    why: 'the owner is X (sanctions)',
    reasons: [{ code: 'partial', text: 'Import the rest.' }],
    splitMissing: null,
  },
}
const digest = {
  ...{
    day: '2026-11-21',
    from: AT,
    until: AT,
    watched: 1,
    changed: 200,
    unchanged: 0,
    undecided: 0,
    unknown: 0,
    failing: 1,
  },
  changes: [{ ...watch, previous: summary, current: summary }],
  failures: [{ ...watch, failures: 3 }],
}

const { recommendation, level, score, chain, direction, amount } = transferExample
const screened = {
  ...{ transferId: transferExample.transfer_id, livemode: true, endedAt: AT, error: null },
  transfer: {
    ...{ recommendation, level, score, chain, direction, amount, counterparty: '0xA', asset: 'USDT' },
    ...{ reasons: [], json: JSON.stringify(transferExample) },
  },
}
const notScreened = { ...screened, transfer: null, error: { code: 'transfer_not_found', detail: 'none' } }

const bodies: readonly (readonly [keyof typeof describedWebhooks, string, string])[] = [
  ['bulk.completed', 'full', jobWebhookBody('bulk.completed', 'full', job, items(reportExample), URL)],
  ['bulk.completed', 'too large', jobWebhookBody('bulk.completed', 'full', job, items(large), URL)],
  ['bulk.cancelled', 'thin', jobWebhookBody('bulk.cancelled', 'thin', { ...job, name: null }, [], URL)],
  ['report.changed', 'split', changeWebhookBody(change, 'full')],
  [
    'report.changed',
    'not split',
    changeWebhookBody({ ...change, split: null, splitMissing: 'busy' }, 'full'),
  ],
  ['watches.digest', 'with more', digestWebhookBody(digest, 'full')],
  ['transfer.screened', 'full', transferWebhookBody(screened, 'full')],
  ['transfer.screened', 'thin', transferWebhookBody(screened, 'thin')],
  ['transfer.screened', 'failed', transferWebhookBody(notScreened, 'full')],
  ['endpoint.test', 'ping', testWebhookBody('we_1', AT, 'full')],
]

test.each(bodies)('%s, %s, is described with each of its members', (type, _, body) => {
  const sent: unknown = JSON.parse(body)
  // A schema drops what it does not know.
  expect(describedWebhooks[type].schema.parse(sent)).toEqual(sent)
})

describe('the description', () => {
  const { webhooks, components } = JSON.parse(openapiDocument()) as {
    webhooks: Record<string, { post: { requestBody: object; parameters: { name: string }[] } }>
    components: { schemas: Record<string, object> }
  }

  test('names every message with its headers, and its schema is there', () => {
    expect(Object.keys(webhooks)).toEqual(webhooksInOrder.map(({ type }) => type))
    for (const { post } of Object.values(webhooks)) {
      expect(post.parameters.map(({ name }) => name)).toEqual([
        ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      ])
      const [, name] = /#\/components\/schemas\/(\w+)/.exec(JSON.stringify(post.requestBody))!
      expect(components.schemas).toHaveProperty(name!)
    }
  })

  test.each(webhooksInOrder)('has an example of $type that fits its schema', ({ schema, example }) => {
    expect(schema.safeParse(example).error).toBeUndefined()
  })
})

/** A generator of clients writes a file for each tag. */
test('no tag has messages and operations', () => {
  const { paths, webhooks } = JSON.parse(openapiDocument()) as Record<'paths' | 'webhooks', Described>
  const [ofOperations, ofMessages] = [tagsOf(paths), tagsOf(webhooks)]
  expect(ofMessages.size).toBeGreaterThan(0)
  expect([...ofMessages].filter((tag) => ofOperations.has(tag))).toEqual([])
})

type Described = Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>

const tagsOf = (described: Described): ReadonlySet<string> =>
  new Set(Object.values(described).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)))
