import { reportSchema, type ReportGenerated } from '@cupel/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chainFact, failedFact } from '../../../../test/chain-fact-builders.js'
import {
  ADDRESS,
  cleanLabel,
  GENERATED_AT,
  label,
  labelSet,
  ofacLabel,
  ofacSet,
  PUBLISHED_AT,
  restatement,
} from '../../../../test/judgement-builders.js'
import { labelState } from './label-state.js'
import type { SharedInputs } from './recompute.js'
import { canonicalJson, sha256Hex } from '../json/canonical-json.js'
import { compiledDefaultPolicy } from '../risk/default-policy.js'
import { decideScreening, differences, recompute } from '../../index.js'
import { SCORER_VERSION } from '../version.js'
import type { ScreeningInputs, ScreeningRequest, ScreeningSnapshot } from './screening-inputs.js'

const request: ScreeningRequest = {
  reportId: '9f2c4a1be07d6358',
  accountId: 'account-1',
  livemode: true,
  address: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
  canonicalAddress: ADDRESS,
  chain: 'ETH',
  candidateChains: ['ETH', 'BSC'],
  customerReference: 'case 7 «ä»',
  reportUrl: 'https://reports.example/9f2c4a1be07d6358',
  jobId: null,
  jobIndex: null,
}

const snapshot: ScreeningSnapshot = {
  labelSetSeq: 17,
  labelView: 'current',
  labelsAsOf: PUBLISHED_AT,
  labelSets: [ofacSet(), labelSet()],
  labels: [ofacLabel(), label({ category: 'stolen' }), restatement(), label({ confidencePpm: 100_000 })],
}

function decided(changes: Partial<ScreeningInputs> = {}): ReportGenerated {
  const decision = decideScreening({
    request,
    snapshot,
    policy: compiledDefaultPolicy,
    generatedAt: GENERATED_AT,
    ...changes,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return decision.event
}

/** What a report names by hash, as the log has it. */
const sharedBy = (changes: Partial<ScreeningInputs> = {}): SharedInputs => ({
  labelState: labelState({ ...snapshot, ...changes.snapshot }),
  policyDocument: (changes.policy ?? compiledDefaultPolicy).canonical,
})

describe('the report', () => {
  test('is valid, echoes the request and names what it rests on', () => {
    const report = reportSchema.parse(JSON.parse(decided().report))
    expect(report).toMatchObject({
      report_id: request.reportId,
      address: request.address,
      chain: 'ETH',
      candidate_chains: ['ETH', 'BSC'],
      customer_reference: request.customerReference,
      risk: { level: 'red', score: 100, level_reasons: [], categories: { sanctions: 100, stolen: 80 } },
      report_url: request.reportUrl,
      generated_at: GENERATED_AT,
      coverage: {
        labels: { status: 'complete', as_of: '2026-11-20', sources: 2 },
        chain_data: { status: 'unavailable' },
        exposure: { status: 'unavailable' },
      },
      policy: { id: 'default', version: 1 },
      scorer_version: SCORER_VERSION,
      label_snapshot: '17',
    })
  })

  test('reads in the order of its documentation', () => {
    const { report } = decided()
    expect(JSON.stringify(reportSchema.parse(JSON.parse(report)))).toBe(report)
  })

  test('has candidate chains only if it has several', () => {
    expect(decided({ request: { ...request, candidateChains: [] } }).report).not.toContain('candidate_chains')
  })

  test('has numbers with at most two decimals', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1_000_000), { maxLength: 6 }),
        fc.constantFrom('scam', 'mixer', 'darknet'),
        (ppms, category) => {
          const labels = ppms.map((confidencePpm, index) =>
            label({ confidencePpm, category, origin: `o${index}` }),
          )
          const { risk } = reportSchema.parse(
            JSON.parse(decided({ snapshot: { ...snapshot, labels } }).report),
          )
          const points = [
            risk.score,
            ...Object.values(risk.categories),
            ...risk.evidence.map((item) => item.contribution),
          ]
          for (const value of points) expect(String(value)).toMatch(/^\d{1,3}(\.\d{1,2})?$/)
        },
      ),
    )
  })

  test('is hashed in its RFC 8785 form', () => {
    const { report, reportSha256 } = decided()
    expect(reportSha256).toBe(sha256Hex(canonicalJson(JSON.parse(report))))
  })
})

describe('the record', () => {
  test('holds every label whole, with what became of it', () => {
    const { labels } = decided().inputs
    expect(labels.map(({ used, reason }) => [used, reason])).toEqual([
      [true, ''],
      [true, ''],
      [false, 'same_origin'],
      [false, 'low_confidence'],
    ])
    expect(labels[0]).toMatchObject({ ...snapshot.labels[0], isLiveDesignation: true, status: 'live' })
  })

  test('names the policy, the lists and every version', () => {
    const { inputs } = decided()
    expect(sha256Hex(compiledDefaultPolicy.canonical)).toBe(inputs.policySha256)
    expect(inputs).toMatchObject({
      labelSetSeq: 17,
      policyVersion: 1,
      scorerVersion: SCORER_VERSION,
      chainTableVersion: expect.stringMatching(/\d/) as string,
      originTableVersion: expect.stringMatching(/\d/) as string,
      labelStateSha256: sha256Hex(
        canonicalJson({ labelSetSeq: 17, labelsAsOf: PUBLISHED_AT, labelSets: snapshot.labelSets }),
      ),
    })
  })
})

describe('deciding a recorded screening again', () => {
  /** As it comes back from the log: no object of the first decision survives. */
  const stored = (event: ReportGenerated): ReportGenerated => structuredClone(event)

  test.each<[string, Partial<ScreeningInputs>]>([
    ['sanctioned', {}],
    ['unlisted', { snapshot: { ...snapshot, labels: [] } }],
    ['clean', { snapshot: { ...snapshot, labels: [cleanLabel()] } }],
    [
      'in conflict, lagging, in a bulk',
      {
        snapshot: { ...snapshot, labelView: 'lagging', labels: [cleanLabel(), label()] },
        request: { ...request, jobId: 'job-1', jobIndex: 3, customerReference: null },
      },
    ],
    ['with chain facts', { chainInputs: { stage: 'answered', facts: [chainFact()] } }],
    [
      'with providers that failed and disagree',
      {
        chainInputs: {
          stage: 'answered',
          facts: [chainFact(), chainFact({ balanceBaseUnits: '9' }), failedFact('timeout')],
        },
      },
    ],
    ['with a late stage', { chainInputs: { stage: 'late', facts: [failedFact('late')] } }],
    [
      'in the sandbox',
      {
        snapshot: { labelSetSeq: 0, labelView: 'current', labelsAsOf: '', labelSets: [], labels: [] },
        request: { ...request, livemode: false },
      },
    ],
  ])('gives the same bytes: %s', (_name, changes) => {
    const event = decided(changes)
    expect(differences(stored(event), recompute(stored(event), sharedBy(changes)))).toEqual([])
    expect(recompute(stored(event), sharedBy(changes)).report).toBe(event.report)
  })

  test.each<[string, (event: ReportGenerated) => ReportGenerated, string]>([
    ['the report', (event) => ({ ...event, report: event.report.replace('"red"', '"green"') }), 'report'],
    ['the level', (event) => ({ ...event, level: 'green' }), 'level'],
    [
      'a label',
      (event) => ({
        ...event,
        inputs: {
          ...event.inputs,
          labels: event.inputs.labels.map((one) => ({ ...one, validTo: '2020-01-01' })),
        },
      }),
      'report',
    ],
    [
      'what became of a label',
      (event) => ({
        ...event,
        inputs: { ...event.inputs, labels: event.inputs.labels.map((one) => ({ ...one, used: true })) },
      }),
      'inputs.labels.2.used',
    ],
  ])('shows that %s was changed', (_name, tamper, path) => {
    const recorded = tamper(stored(decided()))
    expect(differences(recorded, recompute(recorded, sharedBy()))).toContain(path)
  })

  test.each<[string, SharedInputs, string]>([
    [
      'the policy',
      { ...sharedBy(), policyDocument: sharedBy().policyDocument.replace('"version":1', '"version":2') },
      'inputs.policySha256',
    ],
    [
      'a list’s age',
      sharedBy({
        snapshot: {
          ...snapshot,
          labelSets: snapshot.labelSets.map((set) => ({ ...set, publishedAt: '2020-01-01T00:00:00.000Z' })),
        },
      }),
      'inputs.labelStateSha256',
    ],
  ])('shows that %s was changed in the event that the report names', (_name, shared, path) => {
    const recorded = stored(decided())
    expect(differences(recorded, recompute(recorded, shared))).toContain(path)
  })

  test('a scorer that this build does not have is an error, not a guess', () => {
    const event = stored(decided())
    for (const scorerVersion of ['0.9.0', '', 'toString']) {
      const foreign = { ...event, inputs: { ...event.inputs, scorerVersion } }
      expect(() => recompute(foreign, sharedBy())).toThrow('unknown_scorer_version')
    }
  })
})

test('without a label view nothing is decided', () => {
  const decision = decideScreening({
    request,
    snapshot: { ...snapshot, labelView: 'missing' },
    policy: compiledDefaultPolicy,
    generatedAt: GENERATED_AT,
  })
  expect(decision.outcome).toBe('unavailable')
})
