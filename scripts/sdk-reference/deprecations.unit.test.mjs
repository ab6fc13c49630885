// Tests that the reference of an SDK shows each deprecation of the API.
import { expect, test } from 'vitest'
import { undeclaredDeprecations } from './deprecations.mjs'

const cases = [
  {
    steps: [{ call: 'webhook_endpoints.redeliver_missed' }],
    requests: [{ method: 'POST', path: '/v1/webhook-endpoints/we_1/redeliver' }],
  },
  { steps: [{ call: 'chains.list' }], requests: [{ method: 'GET', path: '/v1/chains' }] },
  { steps: [{ call: 'construct' }], requests: 0 },
]
const document = (deprecated) => ({
  paths: {
    '/v1/webhook-endpoints/{endpoint_id}/redeliver': { post: { deprecated } },
    '/v1/chains': { get: {} },
  },
})
const page = (name, doc) =>
  `# Reference\n\n### ${name}\n\nSends again.\n${doc}\n\n### cupel.chains.list\n\nAll.\n`
const pages = (doc) => ({
  TypeScript: page('cupel.webhookEndpoints.redeliverMissed', doc),
  Python: page('cupel.webhook_endpoints.redeliver_missed', doc),
})

test('a deprecated operation is told at its method in each SDK', () => {
  expect(undeclaredDeprecations(document(true), cases, pages(''))).toEqual([
    expect.stringContaining("the TypeScript SDK's webhook_endpoints.redeliver_missed does not say so"),
    expect.stringContaining("the Python SDK's webhook_endpoints.redeliver_missed does not say so"),
  ])
  expect(undeclaredDeprecations(document(true), cases, pages('\nDeprecated: use another.'))).toEqual([])
})

test('nothing is asked of other operations', () => {
  expect(undeclaredDeprecations(document(false), cases, pages(''))).toEqual([])
})
