import { expect, test } from 'vitest'
import { defaultPolicy } from '../risk/default-policy.js'
import { compilePolicy, policyFault, type PolicyDocument } from '../risk/policy.js'

const withSection = (section: unknown): PolicyDocument =>
  ({ ...defaultPolicy, exposure: section }) as unknown as PolicyDocument

/** The default section with one setting replaced. */
function withSetting(path: string, value: unknown): PolicyDocument {
  const copy = structuredClone(defaultPolicy.exposure) as unknown as Record<string, unknown>
  const names = path.split('.')
  const holder = names.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy)
  holder[names.at(-1)!] = value
  return withSection(copy)
}

test('a policy without the section is refused: no default of the program fills a gap', () => {
  expect(policyFault(withSection(undefined))).toBe('exposure: not an object')
  expect(() => compilePolicy(withSection(undefined))).toThrow(RangeError)
})

test('the default section is valid, and a changed number is in force', () => {
  expect(policyFault(withSection(defaultPolicy.exposure))).toBeNull()
  expect(compilePolicy(withSetting('caps.scam.direct.out', 12.25)).exposure.capsHundredths.scam).toEqual({
    direct: { in: 7_500, out: 1_225 },
    indirect: { in: 4_000, out: 500 },
  })
})

test.each([
  ['method', 'lifo'],
  ['hops', 5],
  ['hops', 0],
  ['hops', 1.5],
  ['caps.sanctions.direct.out', 101],
  ['caps.mixer.indirect.in', -1],
  ['caps.stolen', undefined],
  ['caps', null],
  ['pre_designation_cap', '40'],
  ['unproven_maximum', 69.999],
  ['source_confidence', 1.1],
  ['share.other.from', 0.25],
  ['share.sanctions', undefined],
  ['share', undefined],
  ['size_factor', undefined],
  ['size_decades', 0],
  ['history_max_age_hours', 721],
  ['limits.transfers', 0],
  ['limits.paths', 21],
  ['limits', undefined],
])('%s = %j is refused, by name', (path, value) => {
  const fault = policyFault(withSetting(path, value))
  expect(fault).toContain(`exposure.${path.split('.')[0]}`)
})

test.each([null, [], {}, 'exposure', 7])('%j is not a section, and says so instead of breaking', (section) => {
  expect(policyFault(withSection(section))).toMatch(/^exposure/)
})
