import { readFileSync } from 'node:fs'
import type { LabelStateRecorded, PolicyActivated, ReportGenerated } from '@cupel/contracts'
import { compilePolicy, compilePolicyText, type PolicyDocument } from '@cupel/domain'
import { expect, test } from 'vitest'
import { comparePolicies } from './diff-policies.js'

const golden = <T>(event: string): T =>
  JSON.parse(readFileSync(new URL(`../../../schemas/golden/${event}/1.json`, import.meta.url), 'utf8')) as T

test('transfers for which another recommendation follows are counted, although no level changes', async () => {
  const recorded = golden<ReportGenerated>('ReportGenerated')
  const labelState = golden<LabelStateRecorded>('LabelStateRecorded')
  const active = compilePolicyText(golden<PolicyActivated>('PolicyActivated').document)
  const transfers = active.document.transfers!
  const next: PolicyDocument = {
    ...active.document,
    version: active.document.version + 1,
    transfers: { ...transfers, levels: { ...transfers.levels, red: 'review' }, designated: 'review' },
  }
  const report = { data: { ...recorded, transfer: { ...recorded.transfer!, amount: '1' } } }
  const compare = (b: PolicyDocument) =>
    comparePolicies({
      ...{ a: active, b: compilePolicy(b), maxFlips: 1, explain: 'all' },
      sharedInputs: { of: () => Promise.resolve({ labelState, policyDocument: active.canonical }) },
      // oxlint-disable-next-line typescript/require-await
      reports: async function* () {
        yield [{ report }] as never
      },
    })
  expect(await compare(next)).toMatchObject({
    ...{ changedLevels: 0, changedRecommendations: 1 },
    recommendations: [{ from: 'reject', to: 'review', count: 1 }],
    settings: [{ path: 'transfers.designated' }, { path: 'transfers.levels.red' }],
  })
  expect(await compare({ ...active.document, transfers: undefined })).toMatchObject({
    changedRecommendations: 0,
  })
})
