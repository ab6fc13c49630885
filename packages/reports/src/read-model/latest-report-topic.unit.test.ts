import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { forgottenReportRecord } from './latest-report-topic.js'

test('the record that removes a key has no value, and the headers that the description of the events demands of it', () => {
  const described = JSON.parse(
    readFileSync(new URL('../../../../docs/reference/asyncapi.json', import.meta.url), 'utf8'),
  ) as { components: { schemas: { EnvelopeWithoutValue: { required: string[] } } } }
  const about = { accountId: 'acc_1', livemode: true, chain: 'ETH', canonicalAddress: '0x1' }
  const { value, headers } = forgottenReportRecord(about, '2026-11-30T00:00:00.000Z')
  expect(value).toHaveLength(0)
  // The log adds the MAC.
  expect([...Object.keys(headers), 'cupel_mac'].sort()).toEqual(
    described.components.schemas.EnvelopeWithoutValue.required.toSorted(),
  )
})
