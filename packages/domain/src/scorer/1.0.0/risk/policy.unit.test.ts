import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { compiledDefaultPolicy, defaultPolicy } from './default-policy.js'
import { compilePolicy, compilePolicyText, policyFault, type PolicyDocument } from './policy.js'

test('the default policy has the published numbers', () => {
  expect(policyFault(defaultPolicy)).toBeNull()
  expect(compiledDefaultPolicy).toMatchObject({
    orangeHundredths: 2_500,
    redHundredths: 7_000,
    weightsPpm: { sanctions: 1_000_000, darknet: 950_000, stolen: 950_000, scam: 900_000, mixer: 850_000 },
    rolesPpm: { owner: 1_000_000, participant: 700_000, disputed: 500_000, infrastructure: 500_000 },
    minimumConfidencePpm: 300_000,
    combinedFromPpm: 500_000,
    combinedCapPpm: 950_000,
    cleanConfidencePpm: 800_000,
    clusterFactorPpm: 900_000,
    clusterMaximumHundredths: 6_999,
    exposure: {
      severeMinimumHundredths: 2_500,
      severeCapHundredths: 6_000,
      coinJoinMaximumHundredths: 2_499,
    },
  })
})

test('a policy read back from its recorded text is the same policy', () => {
  const again = compilePolicyText(compiledDefaultPolicy.canonical)
  expect(again).toEqual(compiledDefaultPolicy)
  expect(again.sha256).toBe(createHash('sha256').update(again.canonical).digest('hex'))
})

/** A copy with one setting replaced. */
function withSetting(path: string, value: unknown): PolicyDocument {
  const copy = structuredClone(defaultPolicy) as unknown as Record<string, unknown>
  const names = path.split('.')
  const holder = names.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy)
  holder[names.at(-1)!] = value
  return copy as unknown as PolicyDocument
}

test.each([
  ['id', ''],
  ['version', 0],
  ['version', 1.5],
  ['levels.red', 25],
  ['levels.red', 100.01],
  ['levels.orange', 0],
  ['levels.orange', 24.999],
  ['weights.sanctions', 1.1],
  ['weights.scam', -0.1],
  ['weights.mixer', '0.85'],
  ['weights.stolen', Number.NaN],
  ['weights.darknet', 0.1234567],
  ['roles.participant', undefined],
  ['ownership.combined_cap', 2],
  ['green.clean_confidence', null],
  ['cluster', undefined],
  ['cluster.confidence_factor', 1.1],
  ['cluster.maximum', 100.01],
  ['cluster.maximum', 69.999],
  ['cluster.addresses', 1],
  ['cluster.addresses', 1_000_001],
  ['exposure.severe', undefined],
  ['exposure.severe.minimum', -1],
  ['exposure.severe.cap', 101],
  ['exposure.coinjoin_maximum', undefined],
  ['freshness.max_age_hours', 0],
  ['freshness.max_age_hours_by_origin', { 'us-ofac': -1 }],
  ['freshness.required', null],
  ['freshness.required', [{ origin: 'us-ofac', when: 'sometimes' }]],
  ['freshness.required', [{ when: 'always' }]],
])('%s = %j is refused, by name', (path, value) => {
  const fault = policyFault(withSetting(path, value))
  expect(fault).toContain(path.split('.')[0])
  expect(() => compilePolicy(withSetting(path, value))).toThrow(RangeError)
})

test.each([{}, null, [], 'policy', 7])('%j is not a policy, and says so instead of breaking', (document) => {
  expect(typeof policyFault(document as unknown as PolicyDocument)).toBe('string')
})
