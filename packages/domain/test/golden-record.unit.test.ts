/** The golden records of the contract are a real decision, so every scorer that still exists must repeat it byte for byte. */
import { readFileSync } from 'node:fs'
import type { LabelStateRecorded, PolicyActivated, ReportGenerated } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { differences, recompute } from '../src/index.js'

const golden = <T>(event: string): T =>
  JSON.parse(readFileSync(new URL(`../../../schemas/golden/${event}/1.json`, import.meta.url), 'utf8')) as T

test('the golden report is decided again from the golden records that it names', () => {
  const recorded = golden<ReportGenerated>('ReportGenerated')
  const labelState = golden<LabelStateRecorded>('LabelStateRecorded')
  const { document: policyDocument } = golden<PolicyActivated>('PolicyActivated')
  expect(differences(recorded, recompute(recorded, { labelState, policyDocument }))).toEqual([])
})
