import type { FoundAcl, KafkaAcl } from '@cupel/event-log/kafka'
import { expect, test } from 'vitest'
import { brokerRightsStep } from './broker-rights.js'

const right: KafkaAcl = {
  ...{ principal: 'User:cupel-api', resource_type: 'topic', name: 'reports.v1', pattern: 'literal' },
  operation: 'Read',
}
const entry = { principal: 'User:cupel-scorer', host: '*', resource_type: 'topic', name: 'reports.v1' }
const denied = [
  { ...entry, pattern: 'literal', operation: 'Describe' },
  { ...entry, principal: 'User:*', host: '10.0.0.9', pattern: 'prefixed', operation: 'All' },
]

function stepWith(found: { missing: readonly KafkaAcl[]; denied: readonly FoundAcl[] }) {
  const granted: KafkaAcl[] = []
  const step = brokerRightsStep(async () => ({
    compare: async () => ({ ...found, further: [] }),
    grant: async (missing) => void granted.push(...missing),
  }))
  return { step, granted }
}

test('a right that an entry denies is not in place: the others are granted, and the step fails with each entry', async () => {
  const { step, granted } = stepWith({ missing: [right], denied })
  expect(await step.needed()).toEqual([
    'Grant User:cupel-api Read on the topic reports.v1.',
    expect.stringContaining('User:cupel-scorer is denied Describe on the topic reports.v1.'),
    expect.stringContaining('User:* is denied All on the topic reports.v1… from 10.0.0.9.'),
  ])
  const message = await step.make([]).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )
  expect(message.split('\n').slice(1)).toEqual([
    'User:cupel-scorer is denied Describe on the topic reports.v1.',
    'User:* is denied All on the topic reports.v1… from 10.0.0.9.',
  ])
  expect(granted).toEqual([right])
})

test('nothing is needed where each right is granted and none is denied', async () => {
  const { step, granted } = stepWith({ missing: [], denied: [] })
  expect(await step.needed()).toEqual([])
  expect(await step.make([])).toEqual([])
  expect(granted).toEqual([])
})
