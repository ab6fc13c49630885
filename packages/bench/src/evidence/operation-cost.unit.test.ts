import { expect, test } from 'vitest'
import type { LogRecord } from '@cupel/event-log'
import { signaturesPerReport } from './operation-cost.js'

const recordOf = (leaves: number | null): LogRecord => ({
  ...{ topic: 't', partition: 0, offset: 0, key: 'k', value: Buffer.from('v'), appendedAt: '' },
  headers: leaves === null ? {} : { cupel_signature: `0a1b2c3d.${leaves}.0..c2ln` },
})

test('a signature is shared by the reports of its batch', () => {
  expect(signaturesPerReport([recordOf(1), recordOf(null)])).toBe(1)
  expect(signaturesPerReport([1, 2, 2, 4, 4, 4, 4].map(recordOf))).toBeCloseTo(3 / 7)
  expect(() => signaturesPerReport([recordOf(null)])).toThrow('No report is signed')
})
