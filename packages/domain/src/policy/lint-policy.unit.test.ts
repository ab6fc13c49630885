import { expect, test } from 'vitest'
import { policySchemaFaults, policyDocumentSchema } from '@cupel/contracts'
import fc from 'fast-check'
import { lintPolicy } from './lint-policy.js'
import { defaultPolicy, policyFault, type PolicyDocument } from '../scorer/index.js'

/** The default policy with one setting replaced. */
function withSetting(path: string, value: unknown): PolicyDocument {
  const copy = structuredClone(defaultPolicy) as unknown as Record<string, unknown>
  const names = path.split('.')
  const holder = names.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy)
  if (value === undefined) delete holder[names.at(-1)!]
  else holder[names.at(-1)!] = value
  return copy as unknown as PolicyDocument
}

const rulesOf = (document: PolicyDocument): string[] =>
  lintPolicy(document).map(({ severity, rule }) => `${severity} ${rule}`)

test('the default policy has no findings', () => {
  expect(lintPolicy(defaultPolicy)).toEqual([])
})

test.each<[string, unknown, string]>([
  // A category whose every address stays below orange is not judged at all.
  ['weights.scam', 0.24, 'error hidden-category'],
  ['weights.mixer', 0, 'error hidden-category'],
  ['roles.owner', 0.2, 'error hidden-category'],
  ['levels', { orange: 86, red: 90 }, 'error hidden-category'],
  ['weights.sanctions', 0.69, 'error sanctions-below-red'],
  ['levels.red', 95.01, 'warning never-red'],
  ['weights.stolen', 0.69, 'warning never-red'],
  ['roles.disputed', 0, 'warning role-unused'],
  ['roles.owner', 0.69, 'warning role-above-owner'],
  ['ownership.minimum_confidence', 0.76, 'error hidden-evidence'],
  ['ownership.minimum_confidence', 0.6, 'warning hidden-evidence'],
  ['ownership.combined_cap', 0.5, 'warning combination-unused'],
  ['ownership.combined_cap', 1, 'warning combination-certain'],
  ['green.clean_confidence', 0.49, 'error weak-green'],
  ['green.attributed_share', 0.49, 'error weak-green'],
  ['green.doubtful_share', 0.11, 'error weak-green'],
  ['freshness.required', [{ origin: 'us-treasury', when: 'always' }], 'error unknown-list'],
  ['freshness.required', [], 'warning list-not-required'],
  [
    'freshness.required',
    [
      { origin: 'us-ofac', when: 'always' },
      { origin: 'us-ofac', when: 'once_published' },
    ],
    'warning repeated-list',
  ],
  ['freshness.max_age_hours', 2_161, 'warning old-lists'],
  ['freshness.max_age_hours_by_origin', { 'us-ofac': 169 }, 'warning old-lists'],
  ['freshness.max_age_hours', 8_761, 'error old-lists'],
  ['freshness.max_age_hours_by_origin', { 'us-ofac': 8_761 }, 'error old-lists'],
  ['freshness.max_age_hours_by_origin', { ofac: 48 }, 'error unknown-list'],
  ['exposure.caps.sanctions.direct.out', 20, 'error hidden-exposure'],
  ['transfers.illicit_share', 0.11, 'error hidden-exposure'],
  ['transfers.levels.orange', 'allow', 'warning orange-allowed'],
  ['transfers.levels.green', 'review', 'warning never-allowed'],
  ['transfers.designated', 'review', 'warning designated-not-rejected'],
  // The direct counterparty of a designated party is never green or grey.
  ['exposure.direct_sanctions_minimum', 24, 'error hidden-exposure'],
  ['exposure.direct_sanctions_minimum', 0, 'error hidden-exposure'],
  ['exposure.caps.sanctions.direct.in', 0, 'error hidden-exposure'],
  ['exposure.caps.stolen.indirect.in', 0, 'error hidden-exposure'],
  ['exposure.caps.darknet.direct.in', 26, 'warning hidden-exposure'],
  ['exposure.source_confidence', 0.76, 'error hidden-exposure'],
  ['exposure.source_confidence', 1, 'error hidden-exposure'],
  ['exposure.service_confidence', 0.49, 'error hidden-exposure'],
  ['exposure.clean_service_confidence', 0, 'error hidden-exposure'],
  ['exposure.limits.hub_counterparties', 1, 'error hidden-exposure'],
  ['exposure.limits.transfers', 1, 'error hidden-exposure'],
  ['exposure.limits.intermediaries', 0, 'error hidden-exposure'],
  ['exposure.limits.transfers_of_intermediaries', 0, 'error hidden-exposure'],
  ['exposure.share.other', { from: 0.2, to: 0.5 }, 'error hidden-exposure'],
  ['exposure.size_factor.sanctions', 0, 'error hidden-exposure'],
  ['exposure.unproven_maximum', 24, 'error hidden-exposure'],
  ['exposure.pre_designation_cap', 24.99, 'warning hidden-exposure'],
  ['exposure.severe.minimum', 24, 'warning hidden-exposure'],
  ['exposure.coinjoin_maximum', 25, 'warning coinjoin-scored'],
  ['cluster.maximum', 70, 'warning cluster-red'],
  ['cluster.confidence_factor', 0.2, 'warning hidden-cluster'],
  ['exposure.method', 'poison', 'warning value-not-conserved'],
  ['exposure.hops', 1, 'warning never-green-by-history'],
  ['exposure.caps.scam.direct.out', 90, 'warning victims-scored'],
  ['exposure.caps.darknet.indirect.in', 81, 'warning indirect-above-direct'],
])('%s = %j: %s', (path, value, finding) => {
  const document = withSetting(path, value)
  expect(policyFault(document)).toBeNull()
  expect(rulesOf(document)).toContain(finding)
})

test('errors come first', () => {
  const document = { ...withSetting('levels.red', 96), weights: { ...defaultPolicy.weights, scam: 0.1 } }
  const severities = lintPolicy(document).map(({ severity }) => severity)
  expect(severities).toEqual([...severities].sort())
  expect(new Set(severities)).toEqual(new Set(['error', 'warning']))
})

/** Every setting of the default documents, by path. */
function settingsOf(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, inner]) =>
    settingsOf(inner, path === '' ? name : `${path}.${name}`),
  )
}

const paths = settingsOf(defaultPolicy)
const values = fc.oneof(
  fc.constantFrom(undefined, null, '', 'x', [], {}, true, -1, -0.01, 0, 0.001, 0.5, 1, 1.01, 2, 99.99, 100),
  fc.constantFrom(100.01, 1e6, 1e9, Number.NaN, Number.POSITIVE_INFINITY),
  fc.double({ min: -1, max: 101 }),
)

test('what the published schema refuses is never compiled, and what it passes is refused only for decimals or order', () => {
  fc.assert(
    fc.property(fc.constantFrom(...paths), values, (path, value) => {
      const document = withSetting(path, value)
      const refusedBySchema = policySchemaFaults(document).length > 0
      const fault = policyFault(document)
      if (fault === null && refusedBySchema) {
        // Only the schema limits the length of a name and the size of a version.
        expect(['id', 'version']).toContain(path)
      }
      if (fault !== null && !refusedBySchema)
        expect(fault).toMatch(/decimals|does not begin below|points above 0|multiple/)
    }),
    { numRuns: 5_000 },
  )
})

test('the schema knows every setting and no other', () => {
  expect(policySchemaFaults(defaultPolicy)).toEqual([])
  expect(policySchemaFaults({ ...defaultPolicy, floor: 50 })).toMatchObject([{ unknown: ['floor'] }])
  const typed: PolicyDocument = policyDocumentSchema.parse(defaultPolicy) as PolicyDocument
  expect(typed).toEqual(defaultPolicy)
})
